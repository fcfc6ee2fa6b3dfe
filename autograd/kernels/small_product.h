#pragma once

#include "autograd/kernels/matrix_views.h"

namespace glossa::kernels {

/// Extents of a product [m, k] x [k, n] -> [m, n].
struct ProductSize {
  Index m, n, k;
};

/// C = A B, or C += A B if `c.add`, on one thread. Meant for the products of one attention head, which fit in the cache
/// and are too small to gain from a library's packing. n must be a multiple of Lanes::count.
template <class T>
void small_product(const ProductSize& size, const Strided<T>& a, const Panel<T>& b, const Columns<T>& c);

/// As small_product, but skips row p of B for row i of C if A[i, p] is 0. NaN in a blocked key's row of B therefore
/// does not spread.
template <class T>
void small_product_skipping_zeros(const ProductSize& size, const Strided<T>& a, const Panel<T>& b, const Columns<T>& c);

/// Scores of one query and one key, head by head: score[h] = q_h . k_g, with g = h / group. The heads are side by side,
/// each `width` columns wide.
template <class T>
void head_dots(Index heads, Index group, Index width, const T* q, const T* k, T* score);

/// out_h += weight[h] v_g, head by head, with g = h / group. Skips weights of 0.
template <class T>
void add_weighted_heads(Index heads, Index group, Index width, const T* weight, const T* v, T* out);

}  // namespace glossa::kernels
