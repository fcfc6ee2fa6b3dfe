#pragma once

#include <algorithm>
#include <array>

#include "autograd/kernels/elementwise.h"
#include "autograd/kernels/lanes.h"

namespace glossa::kernels {

struct Plus {
  template <class V>
  V operator()(V a, V b) const {
    return a + b;
  }
};

/// The larger of two numbers; ignores NaN in `b`.
struct Larger {
  template <class V>
  V operator()(V a, V b) const {
    return b > a ? b : a;
  }
};

/// Reduces start, f(0), ..., f(n-1) with `combine`, on one thread. Every lane begins with `start`; repeating it must
/// not change the result. The order depends only on n and the vector length: two vectors are reduced side by side, then
/// their lanes in a tree.
template <class T, class Combine, class F>
T fold(Index n, T start, const Combine& combine, const F& f) {
  constexpr Index L = Lanes<T>::count, lanes = 2 * L;
  alignas(64) T lane[lanes];
  std::fill_n(lane, lanes, start);
#if GLOSSA_BOUNDS_CHECKS  // `f` may throw, as in `write`
  for (Index i = 0; i < n; ++i) lane[i % lanes] = combine(lane[i % lanes], f(i));
#else
  Index i = 0;
  for (; i + lanes <= n; i += lanes)
#pragma omp simd
    for (Index l = 0; l < lanes; ++l) lane[l] = combine(lane[l], f(i + l));
  if (i < n)
#pragma omp simd
    for (Index l = 0; l < lanes; ++l)  // covers all lanes, so that tails are vectorized
      if (l < n - i) lane[l] = combine(lane[l], f(i + l));
#endif
  return join_lanes<T>(combine(load(lane), load(lane + L)), combine);
}

/// Sum of f(0), ..., f(n-1).
template <class T, class F>
T row_sum(Index n, const F& f) {
  return fold<T>(n, T{0}, Plus{}, f);
}

/// Largest of `floor`, f(0), ..., f(n-1); ignores NaN.
template <class T, class F>
T row_max(Index n, T floor, const F& f) {
  return fold<T>(n, floor, Larger{}, f);
}

/// Sum of f(0), ..., f(n-1) on several threads, in pieces of `elementwise_grain` elements. The pieces' sums are added
/// in order.
template <class T, class F>
T sum(Index n, const F& f) {
  std::array<T, 256> pieces;  // sums of 256 pieces at a time; needs no allocation
  T total{0};
  for (Index first = 0; first < n; first += std::ssize(pieces) * elementwise_grain) {
    const Index size = std::min(n - first, std::ssize(pieces) * elementwise_grain);
    parallel_ranges(size, elementwise_grain, [&](Index from, Index to) {
      pieces[from / elementwise_grain] = row_sum<T>(to - from, [&](Index i) { return f(first + from + i); });
    });
    for (Index from = 0; from < size; from += elementwise_grain) total += pieces[from / elementwise_grain];
  }
  return total;
}

/// Rows per piece of work.
inline Index row_grain(Index cols) { return std::max<Index>(1, elementwise_grain / std::max<Index>(1, cols)); }

/// Calls f(row) for each of `rows` rows of `cols` elements, or for each row of a tensor, from several threads.
template <class F>
void for_each_row(Index rows, Index cols, const F& f) {
  parallel_ranges(rows, row_grain(cols), [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) f(row);
  });
}

template <class T, class F>
void for_each_row(const Tensor<T>& x, const F& f) {
  for_each_row(x.rows(), x.cols(), f);
}

}  // namespace glossa::kernels
