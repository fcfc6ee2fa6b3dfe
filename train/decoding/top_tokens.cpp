#include "train/decoding/top_tokens.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/check.h"
#include "autograd/kernels/cross_entropy.h"
#include "autograd/parallel.h"

namespace glossa {

namespace {

bool better(const TokenScore& a, const TokenScore& b) {
  return a.log_probability > b.log_probability || (a.log_probability == b.log_probability && a.token < b.token);
}

/// Makes one pass over the row with a heap of the best tokens so far, the worst of them on top. Most stretches of the
/// row have only worse tokens and are skipped after one comparison.
template <class T>
void top_of_row(const T* x, Index n, std::span<const int> never, std::span<TokenScore> top) {
  constexpr Index stretch = 128;
  const auto begin = top.begin(), end = top.end();
  auto filled = begin;
  T worst = -std::numeric_limits<T>::infinity();
  for (Index from = 0; from < n; from += stretch) {
    const Index to = std::min(n, from + stretch);
    if (filled == end && !(kernels::row_max<T>(to - from, worst, [&](Index j) { return x[from + j]; }) > worst))
      continue;
    for (Index j = from; j < to; ++j) {
      if (!(x[j] > worst) && filled == end) continue;  // of equals, the first one stays
      const int token = static_cast<int>(j);
      if (std::find(never.begin(), never.end(), token) != never.end()) continue;
      if (filled == end)
        std::pop_heap(begin, filled, better);
      else
        ++filled;
      *(filled - 1) = {static_cast<double>(x[j]), token};
      std::push_heap(begin, filled, better);
      if (filled == end) worst = static_cast<T>(begin->log_probability);
    }
  }
  std::sort_heap(begin, filled, better);
}

}  // namespace

template <class T>
double log_sum_exp_without(const T* x, Index n, std::span<const int> left_out) {
  double sum = -std::numeric_limits<double>::infinity();
  Index from = 0;
  const auto add = [&](Index to) {
    if (to == from) return;
    const auto [largest, rest] = kernels::log_sum_exp(to - from, x + from);
    const double part = double{largest} + double{rest};
    if (std::isinf(sum))
      sum = part;
    else
      sum = std::max(sum, part) + std::log1p(std::exp(-std::abs(sum - part)));
  };
  for (const int token : left_out) {
    add(token);
    from = token + 1;
  }
  add(n);
  return sum;
}

template <class T>
void top_tokens(const Tensor<const T>& logits, std::span<const int> never, Index count, std::span<TokenScore> top,
                bool renormalize) {
  check(count >= 1 && count + std::ssize(never) <= logits.cols() && std::ssize(top) == logits.rows() * count,
        "top_tokens", "expected 1 to {} tokens of each of {} rows; got {} and room for {}",
        logits.cols() - std::ssize(never), logits.rows(), count, top.size());
  parallel_for(logits.rows(), [&](Index r) {
    const std::span<TokenScore> best = top.subspan(r * count, count);
    const double sum = log_sum_exp_without(logits.row(r), logits.cols(), renormalize ? never : std::span<const int>());
    top_of_row(logits.row(r), logits.cols(), never, best);
    for (TokenScore& score : best) score.log_probability -= sum;
  });
  check_probabilities(top);
}

void check_probabilities(std::span<const TokenScore> scores) {
  for (const TokenScore& score : scores)
    check(!std::isnan(score.log_probability), "decode",
          "expected a probability for each next token; got NaN or infinity from the model. Hint: its training diverged "
          "or its checkpoint is damaged");
}

template double log_sum_exp_without(const float*, Index, std::span<const int>);
template double log_sum_exp_without(const double*, Index, std::span<const int>);
template void top_tokens(const Tensor<const float>&, std::span<const int>, Index, std::span<TokenScore>, bool);
template void top_tokens(const Tensor<const double>&, std::span<const int>, Index, std::span<TokenScore>, bool);

}  // namespace glossa
