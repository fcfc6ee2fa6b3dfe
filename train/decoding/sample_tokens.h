#pragma once

#include <cstdint>
#include <span>

#include "train/decoding/top_tokens.h"

namespace glossa {

/// Draws one token from each row of logits [R, V], but none of the tokens in `never`. The probabilities of the allowed
/// tokens are softmax(logits / temperature). Writes to drawn[r] the token and its natural log-probability at
/// temperature 1. This log-probability is over all tokens or, with `renormalize`, over the allowed ones. uniforms[r], a
/// number in [0, 1), decides the draw in row r: the token is the first, by id, whose cumulative probability exceeds the
/// number. Throws if a row has no probabilities (NaN or infinity).
template <class T>
void sample_tokens(const Tensor<const T>& logits, std::span<const int> never, double temperature,
                   std::span<const double> uniforms, std::span<TokenScore> drawn, bool renormalize = false);

/// Returns the random number, uniform in [0, 1), that draws token `position` of sentence `sentence`. The number does
/// not depend on the batch.
double sampling_uniform(std::uint64_t seed, std::uint64_t sentence, std::uint32_t position);

}  // namespace glossa
