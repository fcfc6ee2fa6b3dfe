#pragma once

#include <algorithm>

#include "autograd/kernels/attention.h"
#include "autograd/kernels/pack.h"

/// What the ways to compute attention share: where a head lies, which keys its queries see, and its three products.
namespace glossa::kernels {

/// One head of one sequence.
template <class T>
struct Head {
  RowSpan rows, keys;
  Index number, cells;  // of the head; where its kept weights start

  Head(const AttentionShape<T>& shape, Index b, Index h) : number(h) {
    rows = shape.query.sequences[b];
    keys = shape.key.sequences[b];
    cells = shape.heads * shape.cells[b] + number * keys.length * padded<T>(rows.length);
  }

  /// Its first element in rows `span` of a matrix, `width` columns a head.
  template <class E>
  E* of(const Columns<E>& matrix, const RowSpan& span, Index width) const {
    return matrix.data + span.offset * matrix.stride + number * width;
  }
};

/// Which of `keys` keys the queries of a tile see: all, or, where causal, query i the keys 0, ..., i + ahead. Weights
/// of the others are zero, and computed only where whole vectors, or blocks of rows, reach over the diagonal: from
/// `first_computed(j)` on. `ahead` is a multiple of `block`.
template <class T>
struct Reach {
  static constexpr Index block = std::max<Index>(8, Lanes<T>::count);

  Index rows, keys;
  bool causal;
  Index ahead = 0;

  /// Whether some key is kept from some query.
  bool cuts() const { return causal && keys > ahead + 1; }

  /// The first query that sees key j, or `rows`.
  Index first_query(Index j) const { return cuts() ? std::clamp<Index>(j - ahead, 0, rows) : 0; }

  /// The first query whose weight for key j is computed.
  Index first_computed(Index j) const { return first_query(j / block * block) / block * block; }

  /// How many keys the queries before `end` see together.
  Index keys_before(Index end) const { return cuts() ? std::clamp<Index>(end + ahead, 0, keys) : keys; }

  /// How many keys are computed for the vector of queries from `lane` on.
  Index keys_of_lane(Index lane) const { return keys_before(lane / block * block + block); }
};

/// to (+)= A B: at once where its columns are whole vectors, else by way of memory.
template <class T>
void product(bool finite, Index m, Index n, Index k, const T* a, Index a_row, Index a_col, const Panel<T>& b, T* to,
             Index stride, bool add, Bump<T> memory) {
  const Index width = padded<T>(n);
  const bool direct = width == n;
  T* const c = direct ? to : memory.take(m, n);
  const Index c_stride = direct ? stride : width;
  // The careful form where NaN or infinity may sit behind a mask.
  finite ? small_product(m, width, k, a, a_row, a_col, b.data, b.stride, c, c_stride, direct && add)
         : small_product_skipping_zeros(m, width, k, a, a_row, a_col, b.data, b.stride, c, c_stride, direct && add);
  for (Index i = 0; i < m && !direct; ++i)
    for (Index j = 0; j < n; ++j) to[i * stride + j] = add ? to[i * stride + j] + c[i * width + j] : c[i * width + j];
}

/// score[j, i] = a_j . b_i for rows a of the keys and, turned over, b of the queries, `k` numbers each.
template <class T>
void score_product(const Reach<T>& reach, Index k, const T* a, Index stride, const Panel<T>& b, T* score) {
  const Index width = padded<T>(reach.rows), step = reach.cuts() ? reach.block : reach.keys;
  for (Index j = 0; j < reach.keys; j += step)
    if (const Index first = reach.first_computed(j); first < width)
      small_product(std::min(step, reach.keys - j), width - first, k, a + j * stride, stride, Index{1}, b.data + first,
                    b.stride, score + j * width + first, width);
}

/// to_i (+)= sum_j weight[j, i] b_j over the keys j that query i sees.
template <class T>
void sum_over_keys(const Reach<T>& reach, bool finite, Index cols, const T* weight, const Panel<T>& b, T* to,
                   Index stride, bool add, Bump<T> memory) {
  const Index width = padded<T>(reach.rows), step = reach.cuts() ? 8 : reach.rows;
  for (Index i = 0; i < reach.rows; i += step) {
    const Index end = std::min(i + step, reach.rows);
    product(finite, end - i, cols, reach.keys_before(end), weight + i, Index{1}, width, b, to + i * stride, stride, add,
            memory);
  }
}

/// to_j (+)= sum_i weight[j, i] b_i over the queries i that see key j.
template <class T>
void sum_over_queries(const Reach<T>& reach, bool finite, Index cols, const T* weight, const Panel<T>& b, T* to,
                      Index stride, bool add, Bump<T> memory) {
  const Index width = padded<T>(reach.rows), step = reach.cuts() ? 8 : reach.keys;
  for (Index j = 0; j < reach.keys; j += step) {
    const Index first = reach.first_query(j);
    product(finite, std::min(step, reach.keys - j), cols, reach.rows - first, weight + j * width + first, width,
            Index{1}, {b.data + first * b.stride, b.stride}, to + j * stride, stride, add, memory);
  }
}

}  // namespace glossa::kernels
