#pragma once

#include <span>

#include "autograd/tensor.h"

namespace glossa {

/// A token that may come next and its natural log-probability.
struct TokenScore {
  double log_probability;
  int token;
};

/// The `count` most probable tokens of each row of logits [R, V] into top [R, count], best first, of equal ones the
/// smaller id first. Tokens in `never`, in
/// order of their ids, are passed over but, unless `renormalise`, have their share in the softmax; `count`
/// is at most V less their number. Throws where a row has no probabilities (NaN or infinity).
template <class T>
void top_tokens(const Tensor<const T>& logits, std::span<const int> never, Index count, std::span<TokenScore> top,
                bool renormalise = false);

/// Throws if one of the log-probabilities is NaN: the model is broken.
void check_probabilities(std::span<const TokenScore> scores);

}  // namespace glossa
