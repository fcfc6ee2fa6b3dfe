#pragma once

#include <cstring>

#include "autograd/shape.h"

namespace glossa::kernels {

/// 64 bytes of numbers in one register (or two, or four, on a smaller machine).
template <class T>
struct Lanes {
  using Vector [[gnu::vector_size(64)]] = T;
  static constexpr Index count = 64 / sizeof(T);
};

/// n rounded up to whole vectors.
template <class T>
constexpr Index padded(Index n) {
  return (n + Lanes<T>::count - 1) / Lanes<T>::count * Lanes<T>::count;
}

/// R rows by C vectors of the result, kept in registers over the whole of k.
template <class T, int R, int C>
inline void small_block(Index k, const T* a, Index a_row, Index a_col, const T* b, Index ldb, T* c, Index ldc) {
  using L = Lanes<T>;
  typename L::Vector sum[R][C] = {};
  for (Index p = 0; p < k; ++p) {
    typename L::Vector column[C];
    for (int j = 0; j < C; ++j) std::memcpy(&column[j], b + p * ldb + j * L::count, sizeof column[j]);
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < C; ++j) sum[i][j] += a[i * a_row + p * a_col] * column[j];
  }
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < C; ++j) std::memcpy(c + i * ldc + j * L::count, &sum[i][j], sizeof sum[i][j]);
}

template <class T, int R>
inline void small_rows(Index n, Index k, const T* a, Index a_row, Index a_col, const T* b, Index ldb, T* c, Index ldc) {
  constexpr Index L = Lanes<T>::count;
  Index j = 0;
  for (; j + 4 * L <= n; j += 4 * L) small_block<T, R, 4>(k, a, a_row, a_col, b + j, ldb, c + j, ldc);
  for (; j + 2 * L <= n; j += 2 * L) small_block<T, R, 2>(k, a, a_row, a_col, b + j, ldb, c + j, ldc);
  for (; j < n; j += L) small_block<T, R, 1>(k, a, a_row, a_col, b + j, ldb, c + j, ldc);
}

/// C = A B by one thread, for the products of one attention head, which fit in the cache and are too small for a
/// library's packing. C [m, n], B [k, n] in rows of whole vectors (n a multiple of Lanes::count); A [m, k] with any
/// strides, so that a transpose costs nothing.
template <class T>
void small_product(Index m, Index n, Index k, const T* a, Index a_row, Index a_col, const T* b, Index ldb, T* c,
                   Index ldc) {
  Index i = 0;
  for (; i + 4 <= m; i += 4) small_rows<T, 4>(n, k, a + i * a_row, a_row, a_col, b, ldb, c + i * ldc, ldc);
  for (; i < m; ++i) small_rows<T, 1>(n, k, a + i * a_row, a_row, a_col, b, ldb, c + i * ldc, ldc);
}

/// The same, but rows of B whose factor is zero are not read: NaN behind a mask stays there.
template <class T>
void small_product_skipping_zeros(Index m, Index n, Index k, const T* a, Index a_row, Index a_col, const T* b,
                                  Index ldb, T* c, Index ldc) {
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) c[i * ldc + j] = T{0};
    for (Index p = 0; p < k; ++p)
      if (const T factor = a[i * a_row + p * a_col]; factor != T{0})
        for (Index j = 0; j < n; ++j) c[i * ldc + j] += factor * b[p * ldb + j];
  }
}

}  // namespace glossa::kernels
