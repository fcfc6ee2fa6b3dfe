#pragma once

#include <cstdint>
#include <span>

#include "train/decoding/top_tokens.h"

namespace glossa {

/// Draws one token from each row of logits [R, V], with probability softmax(logits / temperature) among the tokens not
/// in `never`. drawn[r] gets the token and its natural log-probability at temperature 1, over all tokens or, with
/// `renormalize`, over the allowed ones. The token of row r is the first, by id, whose cumulative probability exceeds
/// uniforms[r], a number in [0, 1). Throws if a row has no probabilities (NaN or infinity).
template <class T>
void sample_tokens(const Tensor<const T>& logits, std::span<const int> never, double temperature,
                   std::span<const double> uniforms, std::span<TokenScore> drawn, bool renormalize = false);

/// The uniform number in [0, 1) that draws token `position` of sentence `sentence`, independent of the batch.
double sampling_uniform(std::uint64_t seed, std::uint64_t sentence, std::uint32_t position);

}  // namespace glossa
