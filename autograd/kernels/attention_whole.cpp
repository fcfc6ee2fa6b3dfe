#include <type_traits>

#include "autograd/kernels/attention_head.h"
#include "autograd/kernels/attention_paths.h"
#include "autograd/kernels/softmax_lanes.h"

namespace glossa::kernels {

namespace {

/// Asks for what heads [first, last) read or write of a sequence's rows: each goes through its columns in strides that
/// the processor does not foresee.
template <class E>
void fetch(const Columns<E>& matrix, const RowSpan& rows, Index first, Index last, Index width) {
  constexpr Index line = 64 / sizeof(E);
  for (Index i = 0; matrix.data && i < rows.length; ++i)
    for (Index j = first * width; j < last * width; j += line)
      __builtin_prefetch(matrix.data + (rows.offset + i) * matrix.stride + j, std::is_const_v<E> ? 0 : 1, 2);
}

/// Of one sequence.
template <class T>
Reach<T> reach_of(const AttentionShape<T>& shape, const Head<T>& head) {
  return {.rows = head.rows.length, .keys = head.keys.length, .causal = shape.causal};
}

/// The weights of a head, [keys, queries in whole vectors], after dropout: themselves where it does not act.
template <class T>
const T* drop(const AttentionShape<T>& shape, const Head<T>& head, const T* weight, Bump<T>& memory) {
  if (shape.keep.empty()) return weight;
  const std::uint8_t* const keep = shape.keep.data() + head.cells;
  const Reach<T> reach = reach_of(shape, head);
  const Index width = padded<T>(reach.rows);
  const T keep_scale = shape.keep_scale;
  T* const to = memory.take(reach.keys, reach.rows);
  for (Index j = 0; j < reach.keys; ++j) {
    const Index end = (j + 1) * width;
#pragma omp simd
    for (Index i = j * width + reach.first_computed(j); i < end; ++i)
      to[i] = select(keep[i] != 0, weight[i] * keep_scale, T{0});
  }
  return to;
}

/// Scores q k^T of a head, [keys, queries in whole vectors], become its weights softmax(scale score + mask). What may
/// not be attended to is not read.
template <class T>
void weigh(const AttentionShape<T>& shape, const Reach<T>& reach, T* score) {
  constexpr Index L = Lanes<T>::count;
  const Index width = padded<T>(reach.rows);
  const T scale = shape.scale;
  for (Index first = 0; first < width; first += L) {
    const Index keys = reach.keys_of_lane(first);
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
      if (reach.causal)
#pragma omp simd
        for (Index l = 0; l < L; ++l) row[l] = select(first + l < j, blocked<T>, row[l]);
    }
    softmax_lanes(keys, score + first, width);
  }
}

}  // namespace

template <class T>
Index whole_scratch_size(const AttentionShape<T>& shape, Index b) {
  const Index rows = shape.query.sequences[b].length, keys = shape.key.sequences[b].length;
  const Index k = padded<T>(shape.key_width), v = padded<T>(shape.value_width), s = padded<T>(rows);
  // The most that is taken at a time: panels of q, k, v, dout and q^T or dout^T, two score matrices, a result.
  return rows * (k + v) + keys * (k + v) + std::max(shape.key_width, shape.value_width) * s + 2 * keys * s +
         std::max(rows, keys) * std::max(k, v);
}

template <class T>
void whole_forward(const AttentionShape<T>& shape, Index b, Index first, Index last, const AttentionColumns<const T>& x,
                   T* weights, Columns<T> out, T* scratch) {
  const Index kw = shape.key_width, vw = shape.value_width;
  fetch(x.q, shape.query.sequences[b], first, last, kw);
  fetch(x.k, shape.key.sequences[b], first, last, kw);
  fetch(x.v, shape.key.sequences[b], first, last, vw);
  for (Index h = first; h < last; ++h) {
    const Head<T> head(shape, b, h);
    const Reach<T> reach = reach_of(shape, head);
    Bump<T> memory{scratch};

    // weights = softmax(q k^T), where they are kept if they are
    T* const weight = weights ? weights + head.cells : memory.take(reach.keys, reach.rows);
    const Panel<T> query_t = transposed_panel(reach.rows, kw, head.of(x.q, head.rows, kw), x.q.stride, memory);
    score_product(reach, kw, head.of(x.k, head.keys, kw), x.k.stride, query_t, weight);
    weigh(shape, reach, weight);
    // out = dropout(weights) v
    const T* const dropped = drop(shape, head, weight, memory);
    const T* const value = head.of(x.v, head.keys, vw);
    const bool finite = !shape.blocks() || all_finite(reach.keys, vw, value, x.v.stride);
    const Panel<T> values = as_panel(reach.keys, vw, value, x.v.stride, memory);
    sum_over_keys(reach, finite, vw, dropped, values, head.of(out, head.rows, vw), out.stride, false, memory);
  }
}

template <class T>
void whole_backward(const AttentionShape<T>& shape, Index b, Index first, Index last,
                    const AttentionColumns<const T>& x, const T* weights, Columns<const T> dout,
                    const AttentionColumns<T>& dx, T* scratch) {
  const Index kw = shape.key_width, vw = shape.value_width;
  const RowSpan sequence = shape.query.sequences[b], key_sequence = shape.key.sequences[b];
  fetch(x.q, sequence, first, last, kw);
  fetch(x.k, key_sequence, first, last, kw);
  fetch(x.v, key_sequence, first, last, vw);
  fetch(dout, sequence, first, last, vw);
  fetch(dx.q, sequence, first, last, kw);
  fetch(dx.k, key_sequence, first, last, kw);
  fetch(dx.v, key_sequence, first, last, vw);
  for (Index h = first; h < last; ++h) {
    const Head<T> head(shape, b, h);
    const Reach<T> reach = reach_of(shape, head);
    const Index rows = reach.rows, keys = reach.keys, width = padded<T>(rows);
    Bump<T> memory{scratch};
    const T *const query = head.of(x.q, head.rows, kw), *const key = head.of(x.k, head.keys, kw),
                   *const value = head.of(x.v, head.keys, vw), *const d_out = head.of(dout, head.rows, vw);
    const bool finite =
        !shape.blocks() || (all_finite(rows, kw, query, x.q.stride) && all_finite(keys, kw, key, x.k.stride) &&
                            all_finite(rows, vw, d_out, dout.stride));

    // dout v^T, turned over as the weights are: v dout^T
    T* const d_score = memory.take(keys, rows);
    const Panel<T> d_out_t = transposed_panel(rows, vw, d_out, dout.stride, memory);
    score_product(reach, vw, value, x.v.stride, d_out_t, d_score);
    const T* const weight = weights + head.cells;
    const T* const dropped = drop(shape, head, weight, memory);
    for (Index lane = 0; lane < width; lane += Lanes<T>::count)
      softmax_lanes_backward(reach.keys_of_lane(lane), weight + lane, dropped + lane, shape.scale, shape.keep_scale,
                             d_score + lane, width);
    const Panel<T> queries = as_panel(rows, kw, query, x.q.stride, memory),
                   key_rows = as_panel(keys, kw, key, x.k.stride, memory),
                   d_outs = as_panel(rows, vw, d_out, dout.stride, memory);
    if (dx.v.data)  // dv = dropped^T dout
      sum_over_queries(reach, finite, vw, dropped, d_outs, head.of(dx.v, head.keys, vw), dx.v.stride, dx.v.add, memory);
    if (dx.q.data)  // dq = dscore k
      sum_over_keys(reach, finite, kw, d_score, key_rows, head.of(dx.q, head.rows, kw), dx.q.stride, dx.q.add, memory);
    if (dx.k.data)  // dk = dscore^T q
      sum_over_queries(reach, finite, kw, d_score, queries, head.of(dx.k, head.keys, kw), dx.k.stride, dx.k.add,
                       memory);
  }
}

#define GLOSSA_INSTANTIATE(T)                                                                                      \
  template Index whole_scratch_size(const AttentionShape<T>&, Index);                                              \
  template void whole_forward(const AttentionShape<T>&, Index, Index, Index, const AttentionColumns<const T>&, T*, \
                              Columns<T>, T*);                                                                     \
  template void whole_backward(const AttentionShape<T>&, Index, Index, Index, const AttentionColumns<const T>&,    \
                               const T*, Columns<const T>, const AttentionColumns<T>&, T*);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)

}  // namespace glossa::kernels
