#pragma once

#include <cstdint>
#include <span>

#include "train/decoding/top_tokens.h"

namespace glossa {

/// Draws one token from each row of logits [R, V], with probability softmax(logits / temperature) among those not in
/// `never`. Returns its natural log-probability at temperature 1, over all tokens or, with `renormalize`, the allowed
/// ones. uniforms[r] in [0, 1) draws row r: the first token, in order of ids, whose cumulative probability exceeds it.
/// Throws if a row has no probabilities (NaN or infinity).
template <class T>
void sample_tokens(const Tensor<const T>& logits, std::span<const int> never, double temperature,
                   std::span<const double> uniforms, std::span<TokenScore> drawn, bool renormalize = false);

/// Uniform number that draws token `position` of sentence `sentence`, in whatever batch.
double sampling_uniform(std::uint64_t seed, std::uint64_t sentence, std::uint32_t position);

}  // namespace glossa
