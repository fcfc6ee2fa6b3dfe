#pragma once

#include <cstdint>
#include <span>

#include "train/decoding/top_tokens.h"

namespace glossa {

/// One token of each row of logits [R, V], drawn with probability softmax(logits / temperature) among those not in
/// `never`, with its natural log-probability at temperature 1, of all tokens or, with `renormalise`, of those that may
/// come. Row r is drawn by uniforms[r] in [0, 1): the first token, in order of ids, up to which the probabilities add
/// up to more. Throws where a row has no probabilities (NaN or infinity).
template <class T>
void sample_tokens(const Tensor<const T>& logits, std::span<const int> never, double temperature,
                   std::span<const double> uniforms, std::span<TokenScore> drawn, bool renormalise = false);

/// The uniform number that draws token `position` of sentence `sentence`, whatever batch that is in.
double sampling_uniform(std::uint64_t seed, std::uint64_t sentence, std::uint32_t position);

}  // namespace glossa
