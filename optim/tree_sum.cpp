#include "optim/tree_sum.h"

#include <algorithm>

#include "autograd/kernels/elementwise.h"
#include "base/check.h"
#include "base/parallel.h"

namespace glossa {

namespace {

/// True if the tree over `count` terms adds these two adjacent sums, `left` and `right`.
template <class T>
bool are_siblings(const PartialSum<T>& left, const PartialSum<T>& right, std::int64_t count) {
  const std::int64_t size = left.end - left.begin;
  return left.begin % (2 * size) == 0 && right.end == std::min(left.end + size, count);
}

}  // namespace

template <class T>
void push_partial_sum(std::vector<PartialSum<T>>& sums, PartialSum<T> next, std::int64_t count) {
  for (; !sums.empty() && are_siblings(sums.back(), next, count); sums.pop_back()) {
    const T* const left = sums.back().sum.data();
    T* const right = next.sum.data();
    parallel_ranges(std::ssize(next.sum), kernels::elementwise_grain, [=](Index begin, Index end) {
#pragma omp simd
      for (Index i = begin; i < end; ++i) right[i] = left[i] + right[i];
    });
    next.begin = sums.back().begin;
  }
  sums.push_back(next);
}

std::vector<PartialSum<float>> subtrees(std::int64_t begin, std::int64_t end, std::int64_t count) {
  std::vector<PartialSum<float>> sums;
  for (std::int64_t term = begin; term < end; ++term) push_partial_sum(sums, {term, term + 1}, count);
  return sums;
}

template <class T>
void TreeSum<T>::begin(std::int64_t count, std::int64_t first) {
  check(first >= 0 && first < count, "TreeSum", "expected the first term to be one of {}; got {}", count, first);
  count_ = count;
  next_ = first;
  sums_.clear();
}

template <class T>
void TreeSum<T>::add(std::span<T> term) {
  finish(term);
  if (sums_.size() > buffers_.size()) buffers_.push_back({memory_.allocate_array<T>(length_), term.size()});
  T* const to = buffers_[sums_.size() - 1].data();
  const T* const from = term.data();
  parallel_ranges(length_, kernels::elementwise_grain,
                  [=](Index begin, Index end) { std::copy(from + begin, from + end, to + begin); });
  sums_.back().sum = buffers_[sums_.size() - 1];
}

template <class T>
std::span<const PartialSum<T>> TreeSum<T>::finish(std::span<T> term) {
  check(std::ssize(term) == length_, "TreeSum", "expected a term of {} elements; got {}", length_, term.size());
  check(next_ < count_, "TreeSum", "expected {} terms; got one more. Hint: call begin() before the next sum", count_);
  push_partial_sum(sums_, {next_, next_ + 1, term}, count_);
  ++next_;
  return sums_;
}

template void push_partial_sum(std::vector<PartialSum<float>>&, PartialSum<float>, std::int64_t);
template void push_partial_sum(std::vector<PartialSum<double>>&, PartialSum<double>, std::int64_t);
template class TreeSum<float>;
template class TreeSum<double>;

}  // namespace glossa
