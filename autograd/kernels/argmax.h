#pragma once

#include <algorithm>
#include <array>

#include "autograd/kernels/row.h"
#include "autograd/kernels/rowwise.h"

namespace glossa::kernels {

/// True if `v` replaces the earlier `best`: `v` is larger, or it is the first NaN.
struct Beats {
  template <class T>
  bool operator()(T v, T best) const {
    return (v > best) | ((v != v) & (best == best));
  }
};

/// The larger of two numbers; as in Beats, NaN counts as the largest.
struct Maximum {
  template <class V>
  V operator()(V a, V b) const {
    return a != a ? a : b != b ? b : b > a ? b : a;
  }
};

/// Index of the first NaN among x[0], ..., x[n-1] or, without NaN, of the first maximum. Requires n >= 1. Makes two
/// vectorized passes over the row: one finds the maximum, the other its index.
template <class T>
Index argmax(Index n, const T* x) {
  const T max = fold<T>(n, x[0], Maximum{}, [x](Index i) { return x[i]; });
  const auto is_it = [max](T v) { return (v == max) | (v != v); };
  constexpr Index block = 64;
  Index first = 0;
  for (; first + block <= n; first += block) {
    int found = 0;
    for (Index i = first; i < first + block; ++i) found |= is_it(x[i]);
    if (found) break;
  }
  return std::find_if(x + first, x + n, is_it) - x;
}

/// As argmax, but uses several threads. Finds the maximum of each piece of `elementwise_grain` elements, then compares
/// these maxima in order.
template <class T>
Index argmax_of_all(Index n, const T* x) {
  std::array<Index, 256> pieces;  // indices of the maxima of 256 pieces at a time; needs no allocation
  Index best = 0;
  for (Index first = 0; first < n; first += std::ssize(pieces) * elementwise_grain) {
    const Index size = std::min(n - first, std::ssize(pieces) * elementwise_grain);
    parallel_ranges(size, elementwise_grain, [&](Index from, Index to) {
      pieces[from / elementwise_grain] = first + from + argmax(to - from, x + first + from);
    });
    for (Index from = 0; from < size; from += elementwise_grain) {
      const Index piece = pieces[from / elementwise_grain];
      if (Beats{}(x[piece], x[best])) best = piece;
    }
  }
  return best;
}

/// Sets winner[j] to the row of the maximum in column j of x, for each of `width` columns. Requires width <=
/// strip_width and rows >= 1. Rows are `stride` elements apart.
template <class T>
void argmax_strip(Index width, Index rows, const T* x, Index stride, Index* winner) {
  std::array<T, strip_width> best;
  std::copy_n(x, width, best.data());
  std::fill_n(winner, width, Index{0});
  for (Index i = 1; i < rows; ++i) {
    const T* const row = x + i * stride;
#pragma omp simd
    for (Index j = 0; j < width; ++j) {
      const T v = row[j], b = best[j];
      const Index w = winner[j];
      const bool beats = Beats{}(v, b);
      best[j] = beats ? v : b;
      winner[j] = beats ? i : w;
    }
  }
}

/// Sets winners [outer, inner] to the flat indices of the maxima of x [outer, extent, inner] over the middle axis.
template <class T>
void argmax(Index outer, Index extent, Index inner, const T* x, Index* winners) {
  if (outer * inner == 1) {
    winners[0] = argmax_of_all(extent, x);
  } else if (inner == 1) {
    for_each_row(outer, extent, [&](Index row) { winners[row] = row * extent + argmax(extent, x + row * extent); });
  } else {
    const Index across = strips(inner);
    for_each_row(outer * across, extent * strip_width, [&](Index piece) {
      const Index o = piece / across, first = piece % across * strip_width, start = o * extent * inner + first;
      const Index width = std::min(strip_width, inner - first);
      Index* const winner = winners + o * inner + first;
      argmax_strip(width, extent, x + start, inner, winner);
      for (Index j = 0; j < width; ++j) winner[j] = start + winner[j] * inner + j;
    });
  }
}

}  // namespace glossa::kernels
