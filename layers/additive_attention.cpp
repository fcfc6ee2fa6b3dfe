#include <algorithm>
#include <limits>

#include "layers/attention.h"

namespace glossa {

namespace {

constexpr const char* op = "additive_attention";

/// The keys of each query, side by side. Query i has `width` cells; its sequence's keys occupy the first of them.
template <class T>
struct Cells {
  Index width = 1;          // length of the longest key sequence
  std::span<int> key_rows;  // [Nq * width]: row of each cell's key; any row for empty cells
  Tensor<T> mask;           // [Nq, 1, width], added to the scores; -inf in cells without a visible key
};

template <class T>
Cells<T> lay_out(Context<T>& c, const RowLayout& query, const RowLayout& key, bool causal, const Tensor<T>* mask) {
  check(query.sequence_count() == key.sequence_count(), op,
        "expected equally many query and key sequences; got {} and {}", query.sequence_count(), key.sequence_count());
  Cells<T> cells;
  for (const RowSpan& keys : key.sequences) cells.width = std::max(cells.width, keys.length);
  cells.key_rows = c.template array<int>(query.rows * cells.width);
  cells.mask = c.tensor({query.rows, 1, cells.width});
  std::ranges::fill(cells.key_rows, 0);
  std::ranges::fill(cells.mask.span(), -std::numeric_limits<T>::infinity());
  for (Index b = 0; b < query.sequence_count(); ++b) {
    const RowSpan queries = query.sequences[b], keys = key.sequences[b];
    check(!mask || (mask->shape.rank() == 2 && queries.length <= mask->rows() && keys.length <= mask->cols()), op,
          "expected a mask of at least [{}, {}]; got {}", queries.length, keys.length, mask ? mask->shape : Shape{});
    for (Index i = 0; i < queries.length; ++i)
      for (Index j = 0; j < (causal ? std::min(i + 1, keys.length) : keys.length); ++j) {
        const Index cell = (queries.offset + i) * cells.width + j;
        cells.key_rows[cell] = static_cast<int>(keys.offset + j);
        cells.mask[cell] = mask ? mask->row(i)[j] : T{0};
      }
  }
  return cells;
}

/// Weights [Nq, H, width] in the form of glossa::attention: [H, Tq, Tk] for each sequence in turn.
template <class T>
Tensor<T> by_sequence(Context<T>& c, const Tensor<const T>& weights, const RowLayout& query, const RowLayout& key) {
  const Index heads = weights.shape[1];
  Index count = 0;
  for (Index b = 0; b < query.sequence_count(); ++b) count += query.sequences[b].length * key.sequences[b].length;
  const Tensor<T> result = c.tensor({heads * count});
  T* to = result.data;
  for (Index b = 0; b < query.sequence_count(); ++b)
    for (Index h = 0; h < heads; ++h)
      for (Index i = 0; i < query.sequences[b].length; ++i)
        to = std::copy_n(weights.row((query.sequences[b].offset + i) * heads + h), key.sequences[b].length, to);
  return result;
}

/// Repeats each head of keys and values [Nk, 2 G K] for the `times` heads of queries that share it: [Nk, 2 H K].
template <class T>
Variable<T> repeat_heads(const Variable<T>& kv, Index groups, Index times) {
  if (times == 1) return kv;
  const Index rows = kv.shape().rows(), width = kv.shape().cols() / (2 * groups);
  const std::span<int> heads = kv.context().template array<int>(rows * 2 * groups * times);
  for (Index i = 0; i < std::ssize(heads); ++i) heads[i] = static_cast<int>(i / times);
  return reshape(embedding(reshape(kv, {rows * 2 * groups, width}), heads), {rows, 2 * groups * times * width});
}

}  // namespace

template <class T>
Variable<T> additive_attention(const Variable<T>& q, const Variable<T>& kv, const Variable<T>& vector,
                               const RowLayout& query, const RowLayout& key, const AttentionOptions& options,
                               const Tensor<T>* mask, Tensor<T>* weights) {
  Context<T>& c = context_of(op, {q, kv, vector});
  check(options.heads >= 1, op, "expected at least 1 head; got {}", options.heads);
  check(!options.alibi, op, "expected options without alibi; got it");
  check_layout(op, query, q.shape());
  check_layout(op, key, kv.shape(), /*may_overlap=*/true);
  const Index rows = query.rows, heads = options.heads, inner = q.shape().cols(), width = inner / heads;
  const Index groups = options.groups();
  check(groups >= 1 && heads % groups == 0, op, "expected key_heads that divide the {} heads, or 0; got {}", heads,
        groups);
  check(kv.shape().cols() == 2 * groups * width && vector.shape() == Shape{heads, width} && width * heads == inner, op,
        "expected q [{}, {} K], kv [{}, {} K] and a vector [{}, K]; got {}, {} and {}", rows, heads, key.rows,
        2 * groups, heads, q.shape(), kv.shape(), vector.shape());
  const Cells<T> cells = lay_out(c, query, key, options.causal, mask);
  if (key.rows == 0) {  // no query has a visible key
    if (weights) *weights = c.tensor({0});
    return scale(q, 0.0);
  }
  const Index n = cells.width;

  const Variable<T> of_heads = repeat_heads(kv, groups, heads / groups);
  const Variable<T> pairs = embedding(of_heads, cells.key_rows);  // keys and values of every cell, [Nq n, 2 H K]
  const Variable<T> keys = reshape(slice(pairs, 1, 0, inner), {rows, n, heads, width});
  const Variable<T> values = reshape(slice(pairs, 1, inner, 2 * inner), {rows, n, heads, width});
  const auto similarity = [&](const Variable<T>& Q, const Variable<T>& K) {
    return scale(sum(mul(tanh(add(K, Q)), vector), -1), options.scale != 0 ? options.scale : 1.0);
  };
  Tensor<const T> of_cells;
  const Variable<T> attended = composed_attention<T>(reshape(q, {rows, 1, heads, width}), keys, values, similarity,
                                                     c.constant(cells.mask), options.dropout, query, &of_cells);
  if (weights) *weights = by_sequence(c, of_cells, query, key);
  return reshape(attended, {rows, inner});
}

#define GLOSSA_INSTANTIATE(T)                                                                          \
  template Variable<T> additive_attention(const Variable<T>&, const Variable<T>&, const Variable<T>&,  \
                                          const RowLayout&, const RowLayout&, const AttentionOptions&, \
                                          const Tensor<T>*, Tensor<T>*);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
