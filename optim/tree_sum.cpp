#include "optim/tree_sum.h"

#include <algorithm>

#include "autograd/check.h"
#include "autograd/parallel.h"

namespace glossa {

namespace {
constexpr Index grain = 16384;  // as an optimizer's pieces
}

template <class T>
void TreeSum<T>::add(std::span<T> term) {
  check(std::ssize(term) == length_, "TreeSum", "expected a term of {} elements; got {}", length_, term.size());
  // As in a counter in base 2: two subtrees of one size are one of the next.
  for (std::uint64_t before = terms_++; before % 2 == 1; before /= 2) add_top(term);
  if (whole_ == buffers_.size()) buffers_.push_back({memory_.allocate_array<T>(length_), term.size()});
  T* const to = buffers_[whole_++].data();
  const T* const from = term.data();
  parallel_ranges(length_, grain, [=](Index begin, Index end) { std::copy(from + begin, from + end, to + begin); });
}

template <class T>
void TreeSum<T>::finish(std::span<T> term) {
  check(std::ssize(term) == length_, "TreeSum", "expected a term of {} elements; got {}", length_, term.size());
  while (whole_ > 0) add_top(term);
  terms_ = 0;
}

/// The smallest of the whole subtrees is the left neighbour of `term`.
template <class T>
void TreeSum<T>::add_top(std::span<T> term) {
  const T* const left = buffers_[--whole_].data();
  T* const right = term.data();
  parallel_ranges(length_, grain, [=](Index begin, Index end) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) right[i] = left[i] + right[i];
  });
}

template class TreeSum<float>;
template class TreeSum<double>;

}  // namespace glossa
