#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/decode_options.h"
#include "decoding/top_tokens.h"

namespace glossa {

/// Memory that sample_tokens reuses from call to call: a row's candidates, for each thread.
using SamplingMemory = std::vector<std::vector<TokenScore>>;

/// Draws one token from each row of logits [R, V], but none of the tokens in `never`. The probabilities of the allowed
/// tokens are p = softmax(logits / temperature). With `top_k`, only the k most probable of them remain, and p is
/// renormalized. With `top_p`, only the nucleus of the remaining tokens is kept: the smallest set of most probable
/// tokens whose p adds up to at least top_p. Of equally probable tokens, the smaller id is kept. The steps are in the
/// order of `generate` in transformers.
///
/// Writes to drawn[r] the token and its natural log-probability at temperature 1, without top_k and top_p. The softmax
/// is over all tokens or, with `renormalize`, over the allowed ones. uniforms[r], a number in [0, 1), decides the draw
/// in row r. It selects the first token, by id, whose cumulative probability exceeds the number. Throws if a row has no
/// probabilities (NaN or infinity).
template <class T>
void sample_tokens(const Tensor<const T>& logits, std::span<const int> never, const DecodeOptions& options,
                   std::span<const double> uniforms, std::span<TokenScore> drawn, SamplingMemory& memory);

/// Returns a random number, uniform in [0, 1), which draws token `position` of sample `sample` of sentence `sentence`.
/// The number does not depend on the batch.
double sampling_uniform(std::uint64_t seed, std::uint64_t sentence, std::uint32_t position, std::uint32_t sample = 0);

}  // namespace glossa
