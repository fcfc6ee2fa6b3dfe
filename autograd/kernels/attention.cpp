#include "autograd/kernels/attention.h"

#include <algorithm>
#include <type_traits>

#include "autograd/kernels/pack.h"
#include "autograd/kernels/product_log.h"
#include "autograd/kernels/softmax_lanes.h"
#include "autograd/parallel.h"

namespace glossa::kernels {

namespace {

Index longest(const RowLayout& layout) {
  Index longest = 0;
  for (const RowSpan& sequence : layout.sequences) longest = std::max(longest, sequence.length);
  return longest;
}

/// Rows of no sequence become zero.
template <class T>
void zero_gaps(const RowLayout& layout, Columns<T> matrix, Index cols) {
  Index row = 0;
  const auto zero_until = [&](Index end) {
    for (; row < end; ++row) std::fill_n(matrix.data + row * matrix.stride, cols, T{0});
  };
  for (const RowSpan& sequence : layout.sequences) {
    zero_until(sequence.offset);
    row = std::max(row, sequence.offset + sequence.length);
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

/// One head of one sequence.
template <class T>
struct Head {
  RowSpan rows, keys;
  Index number, cells;  // of the head; where its weights start

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

/// Calls work(b, first, last) for all heads [first, last) of all sequences b. One thread takes the heads of a sequence,
/// whose rows lie side by side; where there are few sequences every head is a piece of its own.
template <class T, class Work>
void for_heads(const AttentionShape<T>& shape, const Work& work) {
  const Index together = shape.query.sequence_count() >= 32 ? shape.heads : 1, pieces = shape.heads / together;
  parallel_for(shape.query.sequence_count() * pieces, [&](Index piece) {
    const Index first = piece % pieces * together;
    work(piece / pieces, first, first + together);
  });
}

/// The weights of a head, [keys, queries in whole vectors], after dropout: themselves where it does not act.
template <class T>
const T* drop(const AttentionShape<T>& shape, const Head<T>& head, const T* weight, Bump<T>& memory) {
  if (shape.keep.empty()) return weight;
  const std::uint8_t* const keep = shape.keep.data() + head.cells;
  const Index size = head.keys.length * padded<T>(head.rows.length);
  const T keep_scale = shape.keep_scale;
  T* const to = memory.take(1, size);
#pragma omp simd
  for (Index i = 0; i < size; ++i) to[i] = select(keep[i] != 0, weight[i] * keep_scale, T{0});
  return to;
}

/// Scores q k^T of a head, [keys, queries in whole vectors], become its weights softmax(scale score + mask). What may
/// not be attended to is not read.
template <class T>
void weigh(const AttentionShape<T>& shape, Index keys, Index width, T* score) {
  constexpr Index L = Lanes<T>::count;
  const T scale = shape.scale;
  for (Index first = 0; first < width; first += L) {
    for (Index j = 0; j < keys; ++j) {
      T* const row = score + j * width + first;
      if (shape.mask.data) {
        const T* const mask = shape.mask.row(j) + first;
#pragma omp simd
        for (Index l = 0; l < L; ++l) row[l] = select(mask[l] == blocked<T>, blocked<T>, row[l] * scale + mask[l]);
      } else {
#pragma omp simd
        for (Index l = 0; l < L; ++l) row[l] *= scale;
      }
      if (shape.causal)
#pragma omp simd
        for (Index l = 0; l < L; ++l) row[l] = select(first + l < j, blocked<T>, row[l]);
    }
    softmax_lanes(keys, score + first, width);
  }
}

/// Asks for what heads [first, last) read or write of a sequence's rows: each goes through its columns in strides that
/// the processor does not foresee.
template <class E>
void fetch(const Columns<E>& matrix, const RowSpan& rows, Index first, Index last, Index width) {
  constexpr Index line = 64 / sizeof(E);
  for (Index i = 0; matrix.data && i < rows.length; ++i)
    for (Index j = first * width; j < last * width; j += line)
      __builtin_prefetch(matrix.data + (rows.offset + i) * matrix.stride + j, std::is_const_v<E> ? 0 : 1, 2);
}

constexpr Index few_queries = 4;

/// For few queries, as in decoding: a query at a time and its heads as lanes, so that keys and values are read in the
/// order in which they lie, and once. `score` is scratch [keys, heads in whole vectors].
template <class T>
void attend_few(const AttentionShape<T>& shape, Index b, Index first, Index last, Columns<const T> q,
                Columns<const T> k, Columns<const T> v, T* weights, Columns<T> out, T* score) {
  const Head<T> head(shape, b, first);
  const Index keys = head.keys.length, rows = padded<T>(head.rows.length);
  const Index heads = last - first, width = padded<T>(heads);
  const T *const key = head.of(k, head.keys, shape.key_width), *const value = head.of(v, head.keys, shape.value_width);
  T* const kept = weights ? weights + head.cells : nullptr;  // [heads, keys, rows]
  const std::uint8_t* const keep = shape.keep.empty() ? nullptr : shape.keep.data() + head.cells;
  if (kept) std::fill_n(kept, heads * keys * rows, T{0});
  std::fill_n(score, keys * width, T{0});
  for (Index i = 0; i < head.rows.length; ++i) {
    const T* const query = head.of(q, head.rows, shape.key_width) + i * q.stride;
    T* const result = head.of(out, head.rows, shape.value_width) + i * out.stride;
    for (Index j = 0; j < keys; ++j) {
      T* const row = score + j * width;
      const T mask = shape.causal && j > i ? blocked<T> : shape.mask.data ? shape.mask.row(j)[i] : T{0};
      if (mask != blocked<T>) head_dots(heads, shape.key_width, query, key + j * k.stride, row);
      for (Index h = 0; h < heads; ++h) row[h] = mask == blocked<T> ? mask : row[h] * shape.scale + mask;
    }
    for (Index lane = 0; lane < width; lane += Lanes<T>::count) softmax_lanes(keys, score + lane, width);
    std::fill_n(result, heads * shape.value_width, T{0});
    for (Index j = 0; j < keys; ++j) {
      T* const row = score + j * width;
      for (Index h = 0; h < heads && (kept || keep); ++h) {
        const Index cell = (h * keys + j) * rows + i;
        if (kept) kept[cell] = row[h];
        if (keep) row[h] = keep[cell] ? row[h] * shape.keep_scale : T{0};
      }
      add_weighted_heads(heads, shape.value_width, row, value + j * v.stride, result);
    }
  }
}

}  // namespace

template <class T>
Index AttentionShape<T>::scratch_size() const {
  const Index rows = longest(query), keys = longest(key);
  const Index k = padded<T>(key_width), v = padded<T>(value_width), s = padded<T>(rows);
  // The most that is taken at a time: panels of q, k, v, dout and q^T or dout^T, two score matrices, a result.
  const Index most = rows * (k + v) + keys * (k + v) + std::max(key_width, value_width) * s + 2 * keys * s +
                     std::max(rows, keys) * std::max(k, v);
  return std::max(most, keys * padded<T>(heads));  // or, for few queries, scores of all heads
}

template <class T>
void attention_forward(const AttentionShape<T>& shape, Columns<const T> q, Columns<const T> k, Columns<const T> v,
                       T* weights, Columns<T> out, T* scratch) {
  const Index kw = shape.key_width, vw = shape.value_width;
  note_product({.m = shape.scores(), .n = 1, .k = kw + vw, .per_head = true});
  zero_gaps(shape.query, out, shape.heads * vw);
  const Index scratch_size = shape.scratch_size();
  for_heads(shape, [&](Index b, Index first, Index last) {
    T* const own = scratch + thread_index() * scratch_size;
    if (shape.query.sequences[b].length < few_queries)
      return attend_few(shape, b, first, last, q, k, v, weights, out, own);
    fetch(q, shape.query.sequences[b], first, last, kw);
    fetch(k, shape.key.sequences[b], first, last, kw);
    fetch(v, shape.key.sequences[b], first, last, vw);
    for (Index h = first; h < last; ++h) {
      const Head<T> head(shape, b, h);
      const Index rows = head.rows.length, keys = head.keys.length, width = padded<T>(rows);
      Bump<T> memory{own};

      // weights = softmax(q k^T), where they are kept if they are
      T* const weight = weights ? weights + head.cells : memory.take(keys, rows);
      const Panel<T> query_t = transposed_panel(rows, kw, head.of(q, head.rows, kw), q.stride, memory);
      small_product(keys, width, kw, head.of(k, head.keys, kw), k.stride, Index{1}, query_t.data, query_t.stride,
                    weight, width);
      weigh(shape, keys, width, weight);
      // out = dropout(weights) v
      const T* const dropped = drop(shape, head, weight, memory);
      const T* const value = head.of(v, head.keys, vw);
      const Panel<T> values = as_panel(keys, vw, value, v.stride, memory);
      product(!shape.blocks() || all_finite(keys, vw, value, v.stride), rows, vw, keys, dropped, Index{1}, width,
              values, head.of(out, head.rows, vw), out.stride, false, memory);
    }
  });
}

template <class T>
void attention_backward(const AttentionShape<T>& shape, Columns<const T> q, Columns<const T> k, Columns<const T> v,
                        const T* weights, Columns<const T> dout, Columns<T> dq, Columns<T> dk, Columns<T> dv,
                        T* scratch) {
  const Index kw = shape.key_width, vw = shape.value_width;
  note_product({.m = shape.scores(), .n = 2, .k = kw + vw, .per_head = true});
  if (dq.data && !dq.add) zero_gaps(shape.query, dq, shape.heads * kw);
  if (dk.data && !dk.add) zero_gaps(shape.key, dk, shape.heads * kw);
  if (dv.data && !dv.add) zero_gaps(shape.key, dv, shape.heads * vw);
  const Index scratch_size = shape.scratch_size();
  for_heads(shape, [&](Index b, Index first, Index last) {
    T* const own = scratch + thread_index() * scratch_size;
    const RowSpan sequence = shape.query.sequences[b], key_sequence = shape.key.sequences[b];
    fetch(q, sequence, first, last, kw);
    fetch(k, key_sequence, first, last, kw);
    fetch(v, key_sequence, first, last, vw);
    fetch(dout, sequence, first, last, vw);
    fetch(dq, sequence, first, last, kw);
    fetch(dk, key_sequence, first, last, kw);
    fetch(dv, key_sequence, first, last, vw);
    for (Index h = first; h < last; ++h) {
      const Head<T> head(shape, b, h);
      const Index rows = head.rows.length, keys = head.keys.length, width = padded<T>(rows);
      Bump<T> memory{own};
      const T *const query = head.of(q, head.rows, kw), *const key = head.of(k, head.keys, kw),
                     *const value = head.of(v, head.keys, vw), *const d_out = head.of(dout, head.rows, vw);
      const bool finite =
          !shape.blocks() || (all_finite(rows, kw, query, q.stride) && all_finite(keys, kw, key, k.stride) &&
                              all_finite(rows, vw, d_out, dout.stride));

      // dout v^T, turned over as the weights are: v dout^T
      T* const d_score = memory.take(keys, rows);
      const Panel<T> d_out_t = transposed_panel(rows, vw, d_out, dout.stride, memory);
      small_product(keys, width, vw, value, v.stride, Index{1}, d_out_t.data, d_out_t.stride, d_score, width);
      const T* const weight = weights + head.cells;
      const T* const dropped = drop(shape, head, weight, memory);
      for (Index lane = 0; lane < width; lane += Lanes<T>::count)
        softmax_lanes_backward(keys, weight + lane, dropped + lane, shape.scale, shape.keep_scale, d_score + lane,
                               width);
      const auto write = [&](Columns<T> to, RowSpan span, Index cols, Index k, const T* left, bool transposed,
                             const Panel<T>& right) {
        product(finite, span.length, cols, k, left, transposed ? width : 1, transposed ? 1 : width, right,
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
