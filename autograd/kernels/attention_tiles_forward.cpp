#include <cmath>

#include "autograd/kernels/attention_paths.h"
#include "autograd/kernels/attention_tiling.h"

/// Forward pass of the path of long sequences: y = (m P) v with P = softmax(S), one tile of the scores S at a time.
/// Saves only log sum_j exp(score_j) for each query and head, from which the derivative computes P again.
namespace glossa::kernels {

namespace {

/// Applies dropout in place to the weights of a tile, which starts at key `first` and query `q.offset`.
template <class T>
void drop(const AttentionShape<T>& shape, const Head<T>& head, const StripeMask<T>& mask, RowSpan q, Index first,
          Index keys, T* score) {
  const Index width = padded<T>(q.length);
  const T keep_scale = shape.keep_scale;
  for (Index j = 0; j < keys && shape.dropout; ++j) {
    const std::uint8_t* const keep = mask.of(head.number, first + j, q.offset);
    T* const row = score + j * width;
#pragma omp simd
    for (Index i = 0; i < width; ++i) row[i] = select(keep[i] != 0, row[i] * keep_scale, T{0});
  }
}

/// Processes a head's queries `q` with all their keys: y = sum_j m_j exp(score_j - top) v_j / sum_j exp(score_j - top).
/// m_j is the dropout factor, top the largest score. During the loop, top and the sums cover the keys so far.
template <class T>
void forward_tile(const AttentionTiling<T>& tiling, const Head<T>& head, RowSpan q, const StripeMask<T>& mask,
                  const AttentionColumns<const T>& x, T* log_sums, const Columns<T>& y, Bump<T> memory) {
  const AttentionShape<T>& shape = tiling.shape;
  const Index kw = shape.key_width, vw = shape.value_width, width = padded<T>(q.length), v_width = padded<T>(vw);
  const RowSpan rows{head.rows.offset + q.offset, q.length};
  const Panel<T> query_panel = scaled_panel(q.length, kw, head.of(x.q, rows, kw), shape.scale, memory);
  const Panel<T> query_t = transposed_panel(q.length, kw, query_panel.columns(), memory);
  T *const score = memory.take(key_tile, q.length), *const numerator = memory.take(q.length, vw);
  T *const top = memory.take(1, q.length), *const total = memory.take(1, q.length),
           *const correction = memory.take(1, q.length);
  std::fill_n(top, width, blocked<T>);
  std::fill_n(total, width, T{0});
  std::fill_n(numerator, q.length * v_width, T{0});

  const Index end = tiling.keys_before(q.offset + q.length);
  for (Index first = 0; first < end; first += key_tile) {
    const Reach<T> reach = tiling.reach(q, first, end);
    const RowSpan keys{head.keys.offset + first, reach.keys};
    const Columns<const T> value = head.of_key(x.v, keys, vw);
    score_product(reach, kw, head.of_key(x.k, keys, kw), query_t, score);
    add_biases(reach, DistanceBias<T>(shape, head, q.offset, first), score);
    block_scores(reach, blocked<T>, score);
    for (Index lane = 0; lane < width; lane += Lanes<T>::count)
      softmax_lanes_step(reach.keys_of_lane(lane), score + lane, width, top + lane, total + lane, correction + lane);
    drop(shape, head, mask, q, first, reach.keys, score);
    for (Index i = 0; i < q.length; ++i)
      for (Index c = 0; c < v_width; ++c) numerator[i * v_width + c] *= correction[i];
    Bump<T> panels = memory;
    const bool finite = !reach.cuts() || all_finite(reach.keys, vw, value);
    const Panel<T> value_panel = as_panel(reach.keys, vw, value, panels);
    sum_over_keys(reach, v_width, score, value_panel, {numerator, v_width, /*add=*/true}, finite, panels);
  }
  const Columns<T> head_y = head.of(y, rows, vw);
  for (Index i = 0; i < q.length; ++i) {
    // If every score is -inf, all weights are 0. With a log_sum of 0, the derivative also computes weights of 0:
    // exp(-inf - 0) = 0.
    const T inverse = total[i] == 0 ? T{0} : 1 / total[i];
    if (log_sums) log_sums[i] = total[i] == 0 ? T{0} : top[i] + std::log(total[i]);
    for (Index c = 0; c < vw; ++c) head_y.data[i * head_y.stride + c] = numerator[i * v_width + c] * inverse;
  }
}

}  // namespace

template <class T>
Index tiles_scratch_size(const AttentionShape<T>& shape, Index b) {
  const AttentionTiling<T> tiling(shape, b);
  return tiling.mask_size() + tiling.partial_size() + threads() * tiling.scratch_size_of_thread();
}

template <class T>
void tiles_forward(const AttentionShape<T>& shape, Index b, const AttentionColumns<const T>& x, T* log_sums,
                   const Columns<T>& y, T* scratch) {
  const AttentionTiling<T> tiling(shape, b);
  T* const own = scratch + tiling.mask_size();
  for_stripes(tiling, scratch, [&](Index first, Index end, const StripeMask<T>& mask) {
    const Index tiles = (end - first + query_tile - 1) / query_tile;
    parallel_for(shape.heads * tiles, [&](Index piece) {
      const Head<T> head(shape, b, piece / tiles);
      const Index begin = first + piece % tiles * query_tile;
      forward_tile(tiling, head, {begin, std::min(query_tile, end - begin)}, mask, x,
                   log_sums ? log_sums + head.number * shape.query.rows + head.rows.offset + begin : nullptr, y,
                   Bump<T>{own + thread_index() * tiling.scratch_size_of_thread()});
    });
  });
}

#define GLOSSA_INSTANTIATE(T)                                                                        \
  template Index tiles_scratch_size(const AttentionShape<T>&, Index);                                \
  template void tiles_forward(const AttentionShape<T>&, Index, const AttentionColumns<const T>&, T*, \
                              const Columns<T>&, T*);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa::kernels
