#pragma once

#include "autograd/kernels/lanes.h"

namespace glossa::kernels {

/// C = A B, or C += A B if `add`, by one thread, for the products of one attention head, which fit in the cache and are
/// too small for a library's packing. C [m, n], B [k, n] in rows of whole vectors (n a multiple of Lanes::count);
/// A [m, k] with any strides, so that a transpose costs nothing.
template <class T>
void small_product(Index m, Index n, Index k, const T* a, Index a_row, Index a_col, const T* b, Index ldb, T* c,
                   Index ldc, bool add = false);

/// One query and one key, head by head: score[h] = q_h . k_h for heads of `width` columns side by side.
template <class T>
void head_dots(Index heads, Index width, const T* q, const T* k, T* score);

/// out_h += weight[h] v_h, head by head; heads of weight 0 are not read.
template <class T>
void add_weighted_heads(Index heads, Index width, const T* weight, const T* v, T* out);

/// The same as small_product, but rows of B whose factor is zero are not read: NaN behind a mask stays there.
template <class T>
void small_product_skipping_zeros(Index m, Index n, Index k, const T* a, Index a_row, Index a_col, const T* b,
                                  Index ldb, T* c, Index ldc, bool add = false);

}  // namespace glossa::kernels
