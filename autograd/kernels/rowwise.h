#pragma once

#include <algorithm>
#include <array>

#include "autograd/kernels/elementwise.h"
#include "autograd/kernels/gemm.h"

namespace glossa::kernels {

/// Sums over a matrix's rows are cut into strips of columns, and one thread computes each strip. A strip covers whole
/// cache lines of every row, and there are usually enough strips for the threads. Rows are added in runs of 64 to keep
/// rounding errors small.
inline constexpr Index strip_width = 64, rows_per_run = 64;
inline Index strips(Index cols) { return (cols + strip_width - 1) / strip_width; }

/// Sets to[j] to the sum of row(i)[j] over i in {0, ..., rows-1}, or adds the sum if `add`, for each of `width` columns
/// j. Requires width <= strip_width. Reads four rows side by side.
template <class T, class Row>
void sum_strip(T* to, Index width, bool add, Index rows, const Row& row) {
  std::array<T, strip_width> total{}, run;
  if (add) std::copy_n(to, width, total.data());
  for (Index i = 0; i < rows;) {
    const Index end = std::min(rows, i + rows_per_run);
    run.fill(T{0});
    for (; i + 4 <= end; i += 4) {
      const auto a = row(i), b = row(i + 1), c = row(i + 2), d = row(i + 3);
      add_to_row(width, run.data(), [&](Index j) { return (a[j] + b[j]) + (c[j] + d[j]); });
    }
    for (; i < end; ++i) add_to_row(width, run.data(), [from = row(i)](Index j) { return from[j]; });
    add_to_row(width, total.data(), [&](Index j) { return run[j]; });
  }
  std::copy_n(total.data(), width, to);
}

/// Numbers in bf16, read in T.
template <class T>
struct WidenedRow {
  const Bf16* from;
  T operator[](Index j) const { return static_cast<T>(from[j].widened()); }
};

/// Computes strip `strip` of column_sums.
template <class T>
void sum_strip(const Tensor<T>& to, Index rows, const Factor<T>& x, bool add, Index strip) {
  const Index first = strip * strip_width, width = std::min(strip_width, to.size() - first);
  if (x.rounded)
    sum_strip(to.data + first, width, add, rows,
              [&](Index i) { return WidenedRow<T>{x.rounded + i * x.stride + first}; });
  else
    sum_strip(to.data + first, width, add, rows, [&](Index i) { return x.data + i * x.stride + first; });
}

/// Sets `to` [D] to the sum of the rows of x [rows, D], or adds the sum if `add`.
template <class T>
void column_sums(const Tensor<T>& to, Index rows, const Factor<T>& x, bool add) {
  parallel_for(strips(to.size()), [&](Index strip) { sum_strip(to, rows, x, add, strip); });
}

}  // namespace glossa::kernels
