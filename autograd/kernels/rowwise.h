#pragma once

#include <algorithm>

#include "autograd/parallel.h"
#include "autograd/tensor.h"

namespace glossa::kernels {

/// Sums over the rows of a matrix are cut into pieces of 64 rows, each summed by one thread, and the pieces added in
/// order: the cut depends on the shape alone.
inline constexpr Index rows_per_piece = 64;
inline Index row_pieces(Index rows) { return (rows + rows_per_piece - 1) / rows_per_piece; }

/// to [D] (+)= sum of partial's rows [pieces, D], in order.
template <class T>
void add_pieces(const Tensor<T>& to, const T* partial, Index pieces, bool add) {
  parallel_ranges(to.size(), 1024, [&](Index begin, Index end) {
    if (!add) std::fill(to.data + begin, to.data + end, T{0});
    for (Index p = 0; p < pieces; ++p) {
      const T* from = partial + p * to.size();
#pragma omp simd
      for (Index j = begin; j < end; ++j) to.data[j] += from[j];
    }
  });
}

/// Row `piece` of `partial` [row_pieces(N), D] becomes the sum over that piece of the rows of x [N, D], four of which
/// are read side by side.
template <class T>
void sum_piece(const Tensor<T>& partial, const Tensor<const T>& x, Index piece) {
  const Index cols = x.cols(), end = std::min(x.rows(), (piece + 1) * rows_per_piece);
  T* const sum = partial.row(piece);
  std::fill_n(sum, cols, T{0});
  Index i = piece * rows_per_piece;
  for (; i + 4 <= end; i += 4) {
    const T *a = x.row(i), *b = x.row(i + 1), *c = x.row(i + 2), *d = x.row(i + 3);
#pragma omp simd
    for (Index j = 0; j < cols; ++j) sum[j] += (a[j] + b[j]) + (c[j] + d[j]);
  }
  for (; i < end; ++i) {
    const T* row = x.row(i);
#pragma omp simd
    for (Index j = 0; j < cols; ++j) sum[j] += row[j];
  }
}

/// to [D] (+)= sum over the rows of x [N, D]; `partial` is scratch [row_pieces(N), D].
template <class T>
void column_sums(const Tensor<T>& to, const Tensor<const T>& x, bool add, const Tensor<T>& partial) {
  parallel_for(row_pieces(x.rows()), [&](Index piece) { sum_piece(partial, x, piece); });
  add_pieces(to, partial.data, row_pieces(x.rows()), add);
}

}  // namespace glossa::kernels
