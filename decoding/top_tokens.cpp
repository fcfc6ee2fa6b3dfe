#include "decoding/top_tokens.h"

#include <algorithm>
#include <cmath>

#include "autograd/kernels/exp_sum.h"
#include "autograd/linear_tiles.h"
#include "base/check.h"
#include "base/parallel.h"

namespace glossa {

namespace {

/// Sums e^x over the logits x[0..n) of tokens from `first` on, except those in `left_out`, which are sorted.
template <class T>
ExpTotal total_without(Index first, Index n, const T* x, std::span<const int> left_out) {
  ExpTotal total;
  Index from = 0;
  const auto add = [&](Index to) {
    if (to <= from) return;
    const kernels::ExpSum<T> part = kernels::exp_sum(to - from, x + from);
    total.add({double{part.top}, double{part.sum}});
  };
  for (const int token : left_out) {
    if (token < first) continue;
    if (token >= first + n) break;
    add(token - first);
    from = token - first + 1;
  }
  add(n);
  return total;
}

}  // namespace

void ExpTotal::add(const ExpTotal& other) {
  if (other.sum == 0) return;
  if (other.top > top) {
    sum *= std::exp(top - other.top);
    top = other.top;
    sum += other.sum;
  } else {
    sum += other.sum * std::exp(other.top - top);
  }
}

double ExpTotal::log() const { return top + std::log(sum); }

double log_sum_exp_without(const float* x, Index n, std::span<const int> left_out) {
  return total_without(0, n, x, left_out).log();
}

template <class T>
void TopTokens<T>::begin(Index rows, Index vocabulary, std::span<const int> never, Index count, bool renormalize) {
  check(count >= 1 && count + std::ssize(never) <= vocabulary, "top_tokens", "expected 1 to {} tokens; got {}",
        vocabulary - std::ssize(never), count);
  rows_ = rows;
  pieces_ = (vocabulary + linear_tile_columns - 1) / linear_tile_columns;
  count_ = count;
  never_ = never;
  renormalize_ = renormalize;
  shares_.resize(static_cast<std::size_t>(rows * pieces_));
  best_.resize(static_cast<std::size_t>(threads() * rows * count));
  filled_.assign(static_cast<std::size_t>(threads() * rows), 0);
}

template <class T>
void TopTokens<T>::add(const kernels::Tile<T>& tile) {
  for (Index row = tile.first_row; row < tile.last_row; ++row) add_row(row, tile.first_col, tile.cols(), tile.row(row));
}

template <class T>
void TopTokens<T>::add(const Tensor<const T>& logits) {
  parallel_for(rows_, [&](Index row) {
    for (Index first = 0; first < logits.cols(); first += linear_tile_columns)
      add_row(row, first, std::min(linear_tile_columns, logits.cols() - first), logits.row(row) + first);
  });
}

/// Adds the logits x[0..n) of a row, which belong to tokens from `first` on. Keeps the thread's best ones in a heap
/// with the worst on top. Most tiles have only worse logits and are skipped after one comparison.
template <class T>
void TopTokens<T>::add_row(Index row, Index first, Index n, const T* x) {
  const ExpTotal total = total_without(first, n, x, renormalize_ ? never_ : std::span<const int>());
  shares_[row * pieces_ + first / linear_tile_columns] = total;
  const Index own = thread_index() * rows_ + row;
  const auto begin = best_.begin() + own * count_, end = begin + count_;
  auto filled = begin + filled_[own];
  if (filled == end && !(total.top >= begin->log_probability)) return;
  for (Index j = 0; j < n; ++j) {
    const TokenScore score{static_cast<double>(x[j]), static_cast<int>(first + j)};
    if (filled == end && !better(score, *begin)) continue;
    if (std::ranges::binary_search(never_, score.token)) continue;
    if (filled == end)
      std::pop_heap(begin, filled, better);
    else
      ++filled;
    *(filled - 1) = score;
    std::push_heap(begin, filled, better);
  }
  filled_[own] = filled - begin;
}

template <class T>
void TopTokens<T>::finish(std::span<TokenScore> top) {
  check(std::ssize(top) == rows_ * count_, "top_tokens", "expected room for {} of each of {} rows; got {}", count_,
        rows_, top.size());
  for (Index row = 0; row < rows_; ++row) {
    merged_.clear();
    for (Index own = row; own < std::ssize(filled_); own += rows_)
      merged_.insert(merged_.end(), best_.begin() + own * count_, best_.begin() + own * count_ + filled_[own]);
    const std::span<TokenScore> best = top.subspan(row * count_, count_);
    std::ranges::partial_sort_copy(merged_, best, better);
    ExpTotal total;
    for (const ExpTotal& share : std::span(shares_).subspan(row * pieces_, pieces_)) total.add(share);
    const double sum = total.log();
    for (TokenScore& score : best) score.log_probability -= sum;
  }
  check_probabilities(top);
}

void check_probabilities(std::span<const TokenScore> scores) {
  for (const TokenScore& score : scores)
    check(!std::isnan(score.log_probability), "decode",
          "expected a probability for each next token; got NaN or infinity from the model. Hint: its training diverged "
          "or its checkpoint is damaged");
}

template class TopTokens<float>;
template class TopTokens<double>;

}  // namespace glossa
