#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "autograd/kernels/elementwise.h"

namespace glossa::kernels {

/// start, f(begin), ..., f(end - 1) joined by `combine`, by one thread in an order that the length alone decides: dealt
/// to lanes (vector code), which are then joined in a tree.
template <class T, class Combine, class F>
T fold(Index begin, Index end, T start, const Combine& combine, const F& f) {
  constexpr Index lanes = 32;
  std::array<T, lanes> lane;
  lane.fill(start);
  for (; begin + lanes <= end; begin += lanes)
#pragma omp simd
    for (Index j = 0; j < lanes; ++j) lane[j] = combine(lane[j], f(begin + j));
  for (Index j = 0; begin + j < end; ++j) lane[j] = combine(lane[j], f(begin + j));
  for (Index half = lanes / 2; half > 0; half /= 2)
    for (Index j = 0; j < half; ++j) lane[j] = combine(lane[j], lane[j + half]);
  return lane[0];
}

/// Sum of f(i), begin <= i < end, by one thread.
template <class F>
auto sum(Index begin, Index end, const F& f) {
  using T = decltype(f(begin));
  return fold(begin, end, T{0}, std::plus<T>{}, f);
}

/// Largest f(i), begin <= i < end, by one thread; -inf if there is none. NaNs are passed over.
template <class F>
auto max(Index begin, Index end, const F& f) {
  using T = decltype(f(begin));
  return fold(
      begin, end, -std::numeric_limits<T>::infinity(), [](T a, T b) { return b > a ? b : a; }, f);
}

/// Sum of f(i), 0 <= i < count, by several threads: pieces of `elementwise_grain`, added in order.
template <class F>
auto sum(Index count, const F& f) {
  using T = decltype(f(count));
  std::array<T, 256> pieces;  // at a time, so that no memory is asked for
  T total{0};
  for (Index first = 0; first < count; first += std::ssize(pieces) * elementwise_grain) {
    const Index end = std::min(count, first + std::ssize(pieces) * elementwise_grain);
    parallel_ranges(end - first, elementwise_grain,
                    [&](Index from, Index to) { pieces[from / elementwise_grain] = sum(first + from, first + to, f); });
    for (Index from = first; from < end; from += elementwise_grain) total += pieces[(from - first) / elementwise_grain];
  }
  return total;
}

/// Rows a thread takes at a time.
inline Index row_grain(Index cols) { return std::max<Index>(1, elementwise_grain / std::max<Index>(1, cols)); }

}  // namespace glossa::kernels
