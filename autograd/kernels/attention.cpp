#include "autograd/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/kernels/pack.h"
#include "autograd/kernels/product_log.h"
#include "autograd/kernels/row.h"
#include "autograd/kernels/vector_math.h"
#include "autograd/parallel.h"

namespace glossa::kernels {

namespace {

Index longest(const RowLayout& layout) {
  Index longest = 0;
  for (const RowSpan& sentence : layout.sentences) longest = std::max(longest, sentence.length);
  return longest;
}

/// softmax over the first `keys` scores of a row of whole vectors, in place, as far as they may be attended to; what
/// may not becomes 0 without being read, and so does the rest of the row.
template <class T>
void masked_softmax(T* score, Index keys, Index width, T scale, const T* mask) {
  constexpr T blocked = -std::numeric_limits<T>::infinity();
  if (mask) {
    for (Index j = 0; j < keys; ++j) score[j] = mask[j] == blocked ? blocked : score[j] * scale + mask[j];
  } else {
#pragma omp simd
    for (Index j = 0; j < keys; ++j) score[j] *= scale;
  }
  std::fill(score + keys, score + width, blocked);
  const T top = row_max<T, 1>(width, blocked, [&](Index j) { return score[j]; });
  if (top == blocked) {  // nothing to attend to, or NaN only, which shows
    for (Index j = 0; j < width; ++j) score[j] = std::isnan(score[j]) ? score[j] : T{0};
    return;
  }
  const T total = row_sum<T, 1>(width, [&](Index j) { return score[j] = kernels::exp(score[j] - top); });
  const T inverse = T{1} / total;
  for (Index j = 0; j < width; ++j) score[j] *= inverse;
}

/// Rows of no sentence become zero.
template <class T>
void zero_gaps(const RowLayout& layout, Columns<T> matrix, Index cols) {
  Index row = 0;
  const auto zero_until = [&](Index end) {
    for (; row < end; ++row) std::fill_n(matrix.data + row * matrix.stride, cols, T{0});
  };
  for (const RowSpan& sentence : layout.sentences) {
    zero_until(sentence.offset);
    row = std::max(row, sentence.offset + sentence.length);
  }
  zero_until(layout.rows);
}

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

/// One head of one sentence.
template <class T>
struct Head {
  RowSpan rows, keys;
  Index number, cells;  // of the head; where its weights start

  Head(const AttentionShape<T>& shape, Index b, Index h) : number(h) {
    rows = shape.query.sentences[b];
    keys = shape.key.sentences[b];
    cells = shape.heads * shape.cells[b] + number * rows.length * keys.length;
  }

  /// Its first element in rows `span` of a matrix, `width` columns a head.
  template <class E>
  E* of(const Columns<E>& matrix, const RowSpan& span, Index width) const {
    return matrix.data + span.offset * matrix.stride + number * width;
  }
};

/// Calls work(b, first, last) for all heads [first, last) of all sentences b. One thread takes the heads of a sentence,
/// whose rows lie side by side; where there are few sentences every head is a piece of its own.
template <class T, class Work>
void for_heads(const AttentionShape<T>& shape, const Work& work) {
  const Index together = shape.query.sentence_count() >= 32 ? shape.heads : 1, pieces = shape.heads / together;
  parallel_for(shape.query.sentence_count() * pieces, [&](Index piece) {
    const Index first = piece % pieces * together;
    work(piece / pieces, first, first + together);
  });
}

/// Scores of query `i` become its weights, which are kept if there is a place for them, and then dropped out.
template <class T>
void weigh(const AttentionShape<T>& shape, const Head<T>& head, Index i, T* score, Index width, T* weights) {
  const Index keys = head.keys.length, at = head.cells + i * keys;
  masked_softmax(score, shape.causal ? std::min(i + 1, keys) : keys, width, shape.scale,
                 shape.mask.data ? shape.mask.row(i) : nullptr);
  if (weights) std::copy_n(score, keys, weights + at);
  if (shape.keep.empty()) return;
  const std::uint8_t* const keep = shape.keep.data() + at;
  const T keep_scale = shape.keep_scale;
#pragma omp simd
  for (Index j = 0; j < keys; ++j) score[j] = select(keep[j] != 0, score[j] * keep_scale, T{0});
}

constexpr Index few_queries = 4;

/// For few queries, as in decoding: their heads side by side, key by key, so that keys and values are read in the order
/// in which they lie, and once.
template <class T>
void attend_few(const AttentionShape<T>& shape, Index b, Index first, Index last, Columns<const T> q,
                Columns<const T> k, Columns<const T> v, T* weights, Columns<T> out, T* score) {
  const Head<T> head(shape, b, first);
  const Index keys = head.keys.length, width = padded<T>(keys), heads = last - first;
  const T *const key = head.of(k, head.keys, shape.key_width), *const value = head.of(v, head.keys, shape.value_width);
  for (Index i = 0; i < head.rows.length; ++i) {
    const T* const query = head.of(q, head.rows, shape.key_width) + i * q.stride;
    T* const result = head.of(out, head.rows, shape.value_width) + i * out.stride;
    for (Index j = 0; j < keys; ++j) head_dots(heads, shape.key_width, query, key + j * k.stride, score + j, width);
    for (Index h = 0; h < heads; ++h) weigh(shape, Head<T>(shape, b, first + h), i, score + h * width, width, weights);
    std::fill_n(result, heads * shape.value_width, T{0});
    for (Index j = 0; j < keys; ++j)
      add_weighted_heads(heads, shape.value_width, score + j, width, value + j * v.stride, result);
  }
}

}  // namespace

template <class T>
Index AttentionShape<T>::scratch_size() const {
  const Index rows = longest(query), keys = longest(key);
  const Index k = padded<T>(key_width), v = padded<T>(value_width), s = padded<T>(keys);
  // The most that is taken at a time: panels of q, k, v, dout and k^T or v^T, two score matrices, a result.
  // Few queries: a row of scores for every head.
  const Index most = rows * (k + v) + keys * (k + v) + std::max(key_width, value_width) * s + 2 * rows * s +
                     std::max(rows, keys) * std::max(k, v);
  return std::max(most, heads * s);
}

template <class T>
void attention_forward(const AttentionShape<T>& shape, Columns<const T> q, Columns<const T> k, Columns<const T> v,
                       T* weights, Columns<T> out, T* scratch) {
  const Index kw = shape.key_width, vw = shape.value_width;
  note_product({.m = shape.heads * shape.cells.back(), .n = 1, .k = kw + vw, .per_head = true});
  zero_gaps(shape.query, out, shape.heads * vw);
  const Index scratch_size = shape.scratch_size();
  for_heads(shape, [&](Index b, Index first, Index last) {
    T* const own = scratch + thread_index() * scratch_size;
    if (shape.query.sentences[b].length < few_queries)
      return attend_few(shape, b, first, last, q, k, v, weights, out, own);
    for (Index h = first; h < last; ++h) {
      const Head<T> head(shape, b, h);
      const Index rows = head.rows.length, keys = head.keys.length, width = padded<T>(keys);
      Bump<T> memory{own};
      const T* const value = head.of(v, head.keys, vw);

      // scores = q k^T
      T* const score = memory.take(rows, keys);
      const Panel<T> key_t = transposed_panel(keys, kw, head.of(k, head.keys, kw), k.stride, memory);
      small_product(rows, width, kw, head.of(q, head.rows, kw), q.stride, Index{1}, key_t.data, key_t.stride, score,
                    width);
      for (Index i = 0; i < rows; ++i) weigh(shape, head, i, score + i * width, width, weights);
      // out = weights v
      const Panel<T> values = as_panel(keys, vw, value, v.stride, memory);
      product(!shape.blocks() || all_finite(keys, vw, value, v.stride), rows, vw, keys, score, width, Index{1}, values,
              head.of(out, head.rows, vw), out.stride, false, memory);
    }
  });
}

template <class T>
void attention_backward(const AttentionShape<T>& shape, Columns<const T> q, Columns<const T> k, Columns<const T> v,
                        const T* weights, Columns<const T> dout, Columns<T> dq, Columns<T> dk, Columns<T> dv,
                        T* scratch) {
  const Index kw = shape.key_width, vw = shape.value_width;
  note_product({.m = shape.heads * shape.cells.back(), .n = 2, .k = kw + vw, .per_head = true});
  if (dq.data && !dq.add) zero_gaps(shape.query, dq, shape.heads * kw);
  if (dk.data && !dk.add) zero_gaps(shape.key, dk, shape.heads * kw);
  if (dv.data && !dv.add) zero_gaps(shape.key, dv, shape.heads * vw);
  const Index scratch_size = shape.scratch_size();
  for_heads(shape, [&](Index b, Index first, Index last) {
    for (Index h = first; h < last; ++h) {
      const Head<T> head(shape, b, h);
      const Index rows = head.rows.length, keys = head.keys.length, width = padded<T>(keys);
      Bump<T> memory{scratch + thread_index() * scratch_size};
      const T *const query = head.of(q, head.rows, kw), *const key = head.of(k, head.keys, kw),
                     *const value = head.of(v, head.keys, vw), *const d_out = head.of(dout, head.rows, vw);
      const bool finite =
          !shape.blocks() || (all_finite(rows, kw, query, q.stride) && all_finite(keys, kw, key, k.stride) &&
                              all_finite(rows, vw, d_out, dout.stride));

      // dout v^T
      T *const d_score = memory.take(rows, keys), *const dropped = memory.take(rows, keys);
      const Panel<T> value_t = transposed_panel(keys, vw, value, v.stride, memory);
      small_product(rows, width, vw, d_out, dout.stride, Index{1}, value_t.data, value_t.stride, d_score, width);
      const T scale = shape.scale, keep_scale = shape.keep_scale;
      for (Index i = 0; i < rows; ++i) {
        const Index at = head.cells + i * keys;
        const T* const weight = weights + at;
        T *const d = d_score + i * width, *const drop = dropped + i * width;
        std::fill(drop + keys, drop + width, T{0});
        if (shape.keep.empty()) {
          std::copy_n(weight, keys, drop);
        } else {
          const std::uint8_t* const keep = shape.keep.data() + at;
#pragma omp simd
          for (Index j = 0; j < keys; ++j) drop[j] = select(keep[j] != 0, weight[j] * keep_scale, T{0});
        }
        // With m = keep / (1 - p): dropped = m weight, dweight = m (dout v^T), and
        // dscore = scale weight (dweight - sum_j weight dweight), 0 where the weight is: what is blocked stays unread.
        const T sum = row_sum<T, 1>(width, [&](Index j) { return select(drop[j] == T{0}, T{0}, drop[j] * d[j]); });
#pragma omp simd
        for (Index j = 0; j < keys; ++j)
          d[j] = select(weight[j] == T{0}, T{0},
                        (select(drop[j] == T{0}, T{0}, d[j] * keep_scale) - sum) * weight[j] * scale);
        std::fill(d + keys, d + width, T{0});
      }
      const auto write = [&](Columns<T> to, RowSpan span, Index cols, Index k, const T* left, bool transposed,
                             const Panel<T>& right) {
        product(finite, span.length, cols, k, left, transposed ? 1 : width, transposed ? width : 1, right,
                head.of(to, span, cols), to.stride, to.add, memory);
      };
      const Panel<T> queries = as_panel(rows, kw, query, q.stride, memory),
                     key_rows = as_panel(keys, kw, key, k.stride, memory),
                     d_outs = as_panel(rows, vw, d_out, dout.stride, memory);
      if (dv.data) write(dv, head.keys, vw, rows, dropped, true, d_outs);     // dv = dropped^T dout
      if (dq.data) write(dq, head.rows, kw, keys, d_score, false, key_rows);  // dq = dscore k
      if (dk.data) write(dk, head.keys, kw, rows, d_score, true, queries);    // dk = dscore^T q
    }
  });
}

#define GLOSSA_INSTANTIATE(T)                                                                                         \
  template struct AttentionShape<T>;                                                                                  \
  template void attention_forward(const AttentionShape<T>&, Columns<const T>, Columns<const T>, Columns<const T>, T*, \
                                  Columns<T>, T*);                                                                    \
  template void attention_backward(const AttentionShape<T>&, Columns<const T>, Columns<const T>, Columns<const T>,    \
                                   const T*, Columns<const T>, Columns<T>, Columns<T>, Columns<T>, T*);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)

}  // namespace glossa::kernels
