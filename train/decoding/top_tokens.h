#pragma once

#include <span>

#include "autograd/tensor.h"

namespace glossa {

/// A possible next token and its natural log-probability.
struct TokenScore {
  double log_probability;
  int token;
};

/// Finds the `count` most probable tokens of each row of logits [R, V], and writes them to top [R, count], best first.
/// Ties go to the smaller id. Skips the tokens in `never`, which must be sorted. The skipped tokens still count in the
/// softmax, unless `renormalize` is true. `count` is at most V - never.size(). Throws if a row has no probabilities
/// (NaN or infinity).
template <class T>
void top_tokens(const Tensor<const T>& logits, std::span<const int> never, Index count, std::span<TokenScore> top,
                bool renormalize = false);

/// Log-sum-exp of the logits x[0..n) without those of the tokens in `left_out`, which are sorted.
template <class T>
double log_sum_exp_without(const T* x, Index n, std::span<const int> left_out);

/// Throws if a log-probability is NaN, because the model is then broken.
void check_probabilities(std::span<const TokenScore> scores);

}  // namespace glossa
