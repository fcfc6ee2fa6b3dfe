#pragma once

#include "autograd/kernels/matrix_views.h"

namespace glossa::kernels {

/// Extents of a product [m, k] x [k, n] -> [m, n].
struct ProductSize {
  Index m, n, k;
};

/// C = A B, or C += A B if `c.add`, on one thread. For products of one attention head, which fit in the cache and are
/// too small to gain from a library's packing. n is a multiple of Lanes::count.
template <class T>
void small_product(const ProductSize& size, const Strided<T>& a, const Panel<T>& b, const Columns<T>& c);

/// As small_product, but if A[i, p] is 0, row p of B is not read for row i of C. NaN in blocked rows of B therefore
/// does not spread.
template <class T>
void small_product_skipping_zeros(const ProductSize& size, const Strided<T>& a, const Panel<T>& b, const Columns<T>& c);

/// Scores of one query and one key, head by head: score[h] = q_h . k_g, where g = h / group. The heads are side by
/// side, with `width` columns each.
template <class T>
void head_dots(Index heads, Index group, Index width, const T* q, const T* k, T* score);

/// out_h += weight[h] v_g, head by head, where g = h / group; weights of 0 are skipped.
template <class T>
void add_weighted_heads(Index heads, Index group, Index width, const T* weight, const T* v, T* out);

}  // namespace glossa::kernels
