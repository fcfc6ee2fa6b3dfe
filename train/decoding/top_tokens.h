#pragma once

#include <span>

#include "autograd/tensor.h"

namespace glossa {

/// A token that may come next and its natural log-probability.
struct TokenScore {
  double log_probability;
  int token;
};

/// Writes the `count` most probable tokens of each row of logits [R, V] to top [R, count], best first, ties by the
/// smaller id. Tokens in `never`, in order of their ids, are passed over but, unless `renormalise`, have their share in
/// the softmax. `count` is at most V less their number. Throws if a row has no probabilities (NaN or infinity).
template <class T>
void top_tokens(const Tensor<const T>& logits, std::span<const int> never, Index count, std::span<TokenScore> top,
                bool renormalise = false);

/// Throws if one of the log-probabilities is NaN: the model is broken.
void check_probabilities(std::span<const TokenScore> scores);

}  // namespace glossa
