#pragma once

#include <algorithm>
#include <cmath>

#include "autograd/kernels/attention.h"
#include "autograd/kernels/pack.h"

/// Code that the paths of attention share: a head's location, the keys that its queries see, and the three matrix
/// products.
namespace glossa::kernels {

/// One head of one sequence.
template <class T>
struct Head {
  RowSpan rows, keys;
  Index number, cells;  // the head's index; the offset of its kept weights
  Index key_number;     // index of its head of keys and values
  bool leads;           // true for the first of the heads that share keys and values

  Head(const AttentionShape<T>& shape, Index b, Index h)
      : number(h), key_number(h / shape.group_size()), leads(h % shape.group_size() == 0) {
    rows = shape.query.sequences[b];
    keys = shape.key.sequences[b];
    cells = shape.heads * shape.cells[b] + number * keys.length * padded<T>(rows.length);
  }

  /// The head's `width` columns in a matrix of queries or results, starting at the first row of `span`.
  template <class E>
  Columns<E> of(const Columns<E>& matrix, const RowSpan& span, Index width) const {
    return {matrix.data + span.offset * matrix.stride + number * width, matrix.stride, matrix.add};
  }

  /// The head's `width` columns in a matrix of keys or values, or of their gradient. In a gradient, the first head of a
  /// group assigns unless `matrix.add` is set; the group's other heads add.
  template <class E>
  Columns<E> of_key(const Columns<E>& matrix, const RowSpan& span, Index width) const {
    return {matrix.data + span.offset * matrix.stride + key_number * width, matrix.stride, matrix.add || !leads};
  }
};

/// One head's numbers in a sequence's rows of q, k, v or dy, and the forms that products need.
template <class T>
struct HeadMatrix {
  Index rows, cols;
  Columns<const T> numbers;

  bool finite() const { return all_finite(rows, cols, numbers); }
  Panel<T> panel(Bump<T>& memory) const { return as_panel(rows, cols, numbers, memory); }
  Panel<T> transposed(Bump<T>& memory) const { return transposed_panel(rows, cols, numbers, memory); }
};

/// One head's q, k and v.
template <class T>
struct HeadOperands {
  HeadMatrix<T> q, k, v;

  HeadOperands(const AttentionShape<T>& shape, const Head<T>& head, const AttentionColumns<const T>& x)
      : q{head.rows.length, shape.key_width, head.of(x.q, head.rows, shape.key_width)},
        k{head.keys.length, shape.key_width, head.of_key(x.k, head.keys, shape.key_width)},
        v{head.keys.length, shape.value_width, head.of_key(x.v, head.keys, shape.value_width)} {}
};

/// The promise `finite` of `product` for these matrices: no key is blocked, or no element is NaN or infinite.
template <class T, class... Matrix>
bool blocked_rows_finite(const AttentionShape<T>& shape, const Matrix&... matrices) {
  return !shape.blocks() || (matrices.finite() && ...);
}

/// Linear biases of a head's scores (ALiBi; Press et al. 2022): the score of query i and key j gets -slope |first + i -
/// j|.
template <class T>
struct DistanceBias {
  T slope{0};  // 0: no biases
  Index first = 0;

  /// The biases for queries starting at `i` and keys starting at `j`.
  DistanceBias(const AttentionShape<T>& shape, const Head<T>& head, Index i = 0, Index j = 0)
      : slope(shape.slopes.empty() ? T{0} : shape.slopes[head.number]), first(shape.distance(i, j)) {}

  explicit operator bool() const { return slope != 0; }

  /// Adds the biases for key j to the scores of `count` queries, starting at query i.
  void add(Index j, Index i, Index count, T* score) const {
    const T start = static_cast<T>(first + i - j);
    const int end = static_cast<int>(count);  // vectors convert an int faster than an Index
#pragma omp simd
    for (int l = 0; l < end; ++l) score[l] -= slope * std::abs(start + static_cast<T>(l));
  }
};

/// The keys that a tile's queries see. If causal, query i sees the keys 0, ..., i + ahead; otherwise every query sees
/// all `keys`. Other keys are blocked and have weight 0. Weights are computed in whole vectors and blocks of rows,
/// which includes some blocked keys next to the diagonal. For key j, computing starts with query `first_computed(j)`.
/// `ahead` is a multiple of `block`.
template <class T>
struct Reach {
  static constexpr Index block = std::max<Index>(8, Lanes<T>::count);

  Index rows, keys;  // numbers of queries and keys
  bool causal;
  Index ahead = 0;

  /// True if some key is blocked for some query.
  bool cuts() const { return causal && keys > ahead + 1; }

  /// First query that sees key j; `rows` if no query does.
  Index first_query(Index j) const { return cuts() ? std::clamp<Index>(j - ahead, 0, rows) : 0; }

  /// First query whose weight for key j is computed.
  Index first_computed(Index j) const { return first_query(j / block * block) / block * block; }

  /// Number of keys seen by at least one query before `end`.
  Index keys_before(Index end) const { return cuts() ? std::clamp<Index>(end + ahead, 0, keys) : keys; }

  /// Number of keys with computed weights in the vector of queries that starts at `lane`.
  Index keys_of_lane(Index lane) const { return keys_before(lane / block * block + block); }
};

/// The keys that all queries of a head see.
template <class T>
Reach<T> reach_of(const AttentionShape<T>& shape, const Head<T>& head) {
  return {.rows = head.rows.length, .keys = head.keys.length, .causal = shape.causal};
}

/// Computes to (+)= A B: adds if `to.add`, otherwise assigns. The result goes through `memory` unless the columns of B
/// fill whole vectors. `finite` promises that B's blocked rows have no NaN or infinity, so multiplying them by the
/// zeros of A is safe.
template <class T>
void product(const ProductSize& size, const Strided<T>& a, const Panel<T>& b, const Columns<T>& to, bool finite,
             Bump<T> memory) {
  const auto [m, n, k] = size;
  const Index width = padded<T>(n);
  const bool direct = width == n;
  const Columns<T> c = direct ? to : Columns<T>{memory.take(m, n), width};
  (finite ? small_product<T> : small_product_skipping_zeros<T>)({m, width, k}, a, b, c);
  for (Index i = 0; i < m && !direct; ++i)
    for (Index j = 0; j < n; ++j) {
      T& sum = to.data[i * to.stride + j];
      sum = to.add ? sum + c.data[i * width + j] : c.data[i * width + j];
    }
}

/// Computes score[j, i] = a_j . b_i for each key row a_j and each query row b_i, which have `k` numbers each. `b` is
/// passed transposed.
template <class T>
void score_product(const Reach<T>& reach, Index k, const Columns<const T>& a, const Panel<T>& b, T* score) {
  const Index width = padded<T>(reach.rows), step = reach.cuts() ? reach.block : reach.keys;
  for (Index j = 0; j < reach.keys; j += step)
    if (const Index first = reach.first_computed(j); first < width)
      small_product({std::min(step, reach.keys - j), width - first, k}, {a.data + j * a.stride, a.stride, 1},
                    {b.data + first, b.stride}, Columns<T>{score + j * width + first, width});
}

/// to_i (+)= sum_j weight[j, i] b_j over the keys j seen by query i.
template <class T>
void sum_over_keys(const Reach<T>& reach, Index cols, const T* weight, const Panel<T>& b, const Columns<T>& to,
                   bool finite, Bump<T> memory) {
  const Index width = padded<T>(reach.rows), step = reach.cuts() ? 8 : reach.rows;
  for (Index i = 0; i < reach.rows; i += step) {
    const Index end = std::min(i + step, reach.rows);
    product({end - i, cols, reach.keys_before(end)}, {weight + i, 1, width}, b, to.from_row(i), finite, memory);
  }
}

/// to_j (+)= sum_i weight[j, i] b_i over the queries i that see key j.
template <class T>
void sum_over_queries(const Reach<T>& reach, Index cols, const T* weight, const Panel<T>& b, const Columns<T>& to,
                      bool finite, Bump<T> memory) {
  const Index width = padded<T>(reach.rows), step = reach.cuts() ? 8 : reach.keys;
  for (Index j = 0; j < reach.keys; j += step) {
    const Index first = reach.first_query(j);
    product({std::min(step, reach.keys - j), cols, reach.rows - first}, {weight + j * width + first, width, 1},
            {b.data + first * b.stride, b.stride}, to.from_row(j), finite, memory);
  }
}

/// As sum_over_keys and sum_over_queries, for the rows of one head's matrix.
template <class T>
void sum_over_keys(const Reach<T>& reach, const T* weight, const HeadMatrix<T>& b, const Columns<T>& to, bool finite,
                   Bump<T>& memory) {
  const Panel<T> panel = b.panel(memory);
  sum_over_keys(reach, b.cols, weight, panel, to, finite, memory);
}

template <class T>
void sum_over_queries(const Reach<T>& reach, const T* weight, const HeadMatrix<T>& b, const Columns<T>& to, bool finite,
                      Bump<T>& memory) {
  const Panel<T> panel = b.panel(memory);
  sum_over_queries(reach, b.cols, weight, panel, to, finite, memory);
}

}  // namespace glossa::kernels
