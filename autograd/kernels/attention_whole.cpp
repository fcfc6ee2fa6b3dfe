#include "autograd/kernels/attention_head.h"
#include "autograd/kernels/attention_paths.h"
#include "autograd/kernels/attention_prefetch.h"
#include "autograd/kernels/softmax_lanes.h"

/// The path of sequences with at most `max_kept_weights` weights per head, as in training on sentences. Holds all
/// weights of a head, and saves them for the derivative. With S = q k^T and dropout's mask m divided by 1 - p:
///     P = softmax(scale S + mask + bias),    y = (m P) v,    dv = (m P)^T dy,
///     dP = m (dy v^T),    dS = scale P (dP - sum(dP P)),    dq = dS k,    dk = dS^T q.
/// Matrices of weights are stored transposed, [keys, padded(queries)], with one query per lane.
namespace glossa::kernels {

namespace {

/// Weights of a head, [keys, padded(queries)], after dropout. Without dropout, returns `weight`.
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

/// Turns a head's scores S, [keys, padded(queries)], into its weights P = softmax(scale S + mask + bias). Ignores
/// blocked scores, even NaN.
template <class T>
void weigh(const AttentionShape<T>& shape, const Reach<T>& reach, const DistanceBias<T>& bias, T* score) {
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
      if (bias) bias.add(j, first, L, row);
      if (reach.causal)
#pragma omp simd
        for (Index l = 0; l < L; ++l) row[l] = select(first + l < j, blocked<T>, row[l]);
    }
    softmax_lanes(keys, score + first, width);
  }
}

/// Replaces dy v^T by dS = scale P (dP - sum(dP P)) in `d`. `weight` is P, `dropped` m P.
template <class T>
void weigh_backward(const AttentionShape<T>& shape, const Reach<T>& reach, const T* weight, const T* dropped, T* d) {
  const Index width = padded<T>(reach.rows);
  for (Index lane = 0; lane < width; lane += Lanes<T>::count)
    softmax_lanes_backward(reach.keys_of_lane(lane), weight + lane, dropped + lane, shape.scale, shape.keep_scale,
                           d + lane, width);
}

}  // namespace

template <class T>
Index whole_scratch_size(const AttentionShape<T>& shape, Index b) {
  const Index rows = shape.query.sequences[b].length, keys = shape.key.sequences[b].length;
  const Index k = padded<T>(shape.key_width), v = padded<T>(shape.value_width), s = padded<T>(rows);
  // Upper bound on the memory needed at once: panels of q, k, v, dy and q^T or dy^T; two score matrices; a result.
  return rows * (k + v) + keys * (k + v) + std::max(shape.key_width, shape.value_width) * s + 2 * keys * s +
         std::max(rows, keys) * std::max(k, v);
}

template <class T>
void whole_forward(const AttentionShape<T>& shape, const HeadRange& heads, const AttentionColumns<const T>& x,
                   T* weights, const Columns<T>& y, T* scratch) {
  prefetch(shape, x, heads);
  for (Index h = heads.first; h < heads.last; ++h) {
    const Head<T> head(shape, heads.sequence, h);
    const Reach<T> reach = reach_of(shape, head);
    const auto [q, k, v] = HeadOperands<T>(shape, head, x);
    const Columns<T> head_y = head.of(y, head.rows, v.cols);
    const bool finite = blocked_rows_finite(shape, v);
    Bump<T> memory{scratch};
    T* const weight = weights ? weights + head.cells : memory.take(reach.keys, reach.rows);

    score_product(reach, q.cols, k.numbers, q.transposed(memory), weight);  // S = q k^T
    weigh(shape, reach, DistanceBias<T>(shape, head), weight);              // P
    const T* const dropped = drop(shape, head, weight, memory);             // m P
    sum_over_keys(reach, dropped, v, head_y, finite, memory);               // y = (m P) v
  }
}

template <class T>
void whole_backward(const AttentionShape<T>& shape, const HeadRange& heads, const AttentionColumns<const T>& x,
                    const T* weights, const Columns<const T>& dy, const AttentionColumns<T>& dx, T* scratch) {
  prefetch(shape, x, dy, dx, heads);
  for (Index h = heads.first; h < heads.last; ++h) {
    const Head<T> head(shape, heads.sequence, h);
    const Reach<T> reach = reach_of(shape, head);
    const auto [q, k, v] = HeadOperands<T>(shape, head, x);
    const HeadMatrix<T> head_dy{head.rows.length, v.cols, head.of(dy, head.rows, v.cols)};
    const bool finite = blocked_rows_finite(shape, q, k, head_dy);
    Bump<T> memory{scratch};
    T* const dp = memory.take(reach.keys, reach.rows);

    score_product(reach, v.cols, v.numbers, head_dy.transposed(memory), dp);  // dy v^T, dP without m
    const T* const weight = weights + head.cells;                             // P
    const T* const dropped = drop(shape, head, weight, memory);               // m P
    weigh_backward(shape, reach, weight, dropped, dp);
    const T* const ds = dp;  // dS has replaced dP
    if (dx.v.data)           // dv = (m P)^T dy
      sum_over_queries(reach, dropped, head_dy, head.of_key(dx.v, head.keys, v.cols), finite, memory);
    if (dx.q.data)  // dq = dS k
      sum_over_keys(reach, ds, k, head.of(dx.q, head.rows, q.cols), finite, memory);
    if (dx.k.data)  // dk = dS^T q
      sum_over_queries(reach, ds, q, head.of_key(dx.k, head.keys, k.cols), finite, memory);
  }
}

#define GLOSSA_INSTANTIATE(T)                                                                                          \
  template Index whole_scratch_size(const AttentionShape<T>&, Index);                                                  \
  template void whole_forward(const AttentionShape<T>&, const HeadRange&, const AttentionColumns<const T>&, T*,        \
                              const Columns<T>&, T*);                                                                  \
  template void whole_backward(const AttentionShape<T>&, const HeadRange&, const AttentionColumns<const T>&, const T*, \
                               const Columns<const T>&, const AttentionColumns<T>&, T*);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa::kernels
