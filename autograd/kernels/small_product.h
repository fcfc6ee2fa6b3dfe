#pragma once

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

/// C = A B, or C += A B if `add`, by one thread, for the products of one attention head, which fit in the cache and are
/// too small for a library's packing. C [m, n], B [k, n] in rows of whole vectors (n a multiple of Lanes::count);
/// A [m, k] with any strides, so that a transpose costs nothing.
template <class T>
void small_product(Index m, Index n, Index k, const T* a, Index a_row, Index a_col, const T* b, Index ldb, T* c,
                   Index ldc, bool add = false);

/// The same, but rows of B whose factor is zero are not read: NaN behind a mask stays there.
template <class T>
void small_product_skipping_zeros(Index m, Index n, Index k, const T* a, Index a_row, Index a_col, const T* b,
                                  Index ldb, T* c, Index ldc, bool add = false);

}  // namespace glossa::kernels
