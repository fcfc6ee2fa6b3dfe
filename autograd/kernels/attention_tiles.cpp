#include <cmath>

#include "autograd/kernels/attention_head.h"
#include "autograd/kernels/attention_paths.h"
#include "autograd/kernels/softmax_lanes.h"
#include "autograd/parallel.h"

// Attention whose weights are never in memory together (Dao et al. 2022). Queries go by tiles, each past all the keys
// it sees, tile by tile. Tiles of queries that lie side by side are a stripe: eight heads draw their dropout masks from
// one counter, so the masks of a stripe are drawn for all heads at once, and then the heads are computed, all threads.
namespace glossa::kernels {

namespace {

constexpr Index query_tile = 64, key_tile = 64, stripe = 4 * query_tile;

/// Of one sequence: its lengths, how its work is cut, and the scratch that threads share.
template <class T>
struct Tiling {
  const AttentionShape<T>& shape;
  Index b, rows, keys, key_parts, keys_of_part;

  Tiling(const AttentionShape<T>& shape, Index b)
      : shape(shape), b(b), rows(shape.query.sequences[b].length), keys(shape.key.sequences[b].length) {
    // On the way back a piece of work is a part of the keys of one head: eight pieces at least, for few heads too.
    const Index tiles = (keys + key_tile - 1) / key_tile;
    keys_of_part = (tiles + wanted_parts() - 1) / wanted_parts() * key_tile;
    key_parts = (keys + keys_of_part - 1) / keys_of_part;
  }

  Index wanted_parts() const { return (8 + shape.heads - 1) / shape.heads; }

  /// How many keys the queries before `end` see together.
  Index keys_before(Index end) const { return shape.causal ? std::min(keys, end) : keys; }

  /// What the tile of queries `q` sees of the keys from `first` to `end`.
  Reach<T> reach(RowSpan q, Index first, Index end) const {
    return {.rows = q.length,
            .keys = std::min(first + key_tile, std::min(end, keys_before(q.offset + q.length))) - first,
            .causal = shape.causal,
            .ahead = q.offset - first};
  }

  /// Elements that hold the masks of a stripe, of all heads.
  Index mask_size() const {
    return shape.dropout ? (shape.heads * keys * stripe + Index{sizeof(T)} - 1) / Index{sizeof(T)} : 0;
  }

  /// And, on the way back, its dq, from each part of the keys.
  Index partial_size() const { return shape.heads * key_parts * stripe * padded<T>(shape.key_width); }

  Index scratch_size_of_thread() const {
    const Index k = padded<T>(shape.key_width), v = padded<T>(shape.value_width);
    // The most that is taken at a time: q and dout, as they are and turned over, panels of k and v, two score matrices,
    // results, and what there is one of a query.
    return 2 * query_tile * (k + v) + 2 * key_tile * (k + v) + 2 * key_tile * query_tile + query_tile * (k + v) +
           4 * query_tile;
  }
};

/// The dropout masks of the weights of a stripe: [heads, keys, stripe].
template <class T>
struct StripeMask {
  std::uint8_t* data = nullptr;
  Index first_row, keys;

  /// Draws those that the queries [first_row, end) have for the keys they see. `memory` is mask_size() long.
  StripeMask(const Tiling<T>& tiling, Index first_row, Index end, T* memory)
      : first_row(first_row), keys(tiling.keys_before(end)) {
    const AttentionShape<T>& shape = tiling.shape;
    if (!shape.dropout) return;
    data = reinterpret_cast<std::uint8_t*>(memory);
    parallel_ranges(keys, key_tile, [&](Index first_key, Index end_key) {
      attention_dropout_block(data + first_key * stripe, keys * stripe,
                              {.heads = shape.heads,
                               .first_key = first_key,
                               .keys = end_key - first_key,
                               .first_row = first_row,
                               .rows = stripe},
                              *shape.dropout, shape.query.sequence_id(tiling.b), shape.query.first_position);
    });
  }

  /// Of key j of a head, from query i on.
  const std::uint8_t* of(Index head, Index j, Index i) const {
    return data + (head * keys + j) * stripe + i - first_row;
  }
};

/// Rows times a factor, as a panel.
template <class T>
Panel<T> scaled_panel(Index rows, Index cols, const T* from, Index stride, T factor, Bump<T>& memory) {
  const Index width = padded<T>(cols);
  T* const to = memory.take(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < width; ++j) to[i * width + j] = j < cols ? from[i * stride + j] * factor : T{0};
  return {to, width};
}

/// Scores that a causal tile must not see become `instead`.
template <class T>
void block(const Reach<T>& reach, T instead, T* score) {
  if (!reach.cuts()) return;
  const Index width = padded<T>(reach.rows);
  for (Index j = 0; j < reach.keys; ++j)
    std::fill(score + j * width + reach.first_computed(j), score + j * width + reach.first_query(j), instead);
}

/// A tile of queries `q` of a head past all its keys.
template <class T>
void forward_tile(const Tiling<T>& tiling, const Head<T>& head, RowSpan q, const AttentionColumns<const T>& x,
                  const StripeMask<T>& mask, T* log_sum, Columns<T> out, Bump<T> memory) {
  constexpr Index L = Lanes<T>::count;
  const AttentionShape<T>& shape = tiling.shape;
  const Index kw = shape.key_width, vw = shape.value_width, width = padded<T>(q.length), result_width = padded<T>(vw);
  const T keep_scale = shape.keep_scale;
  const T *const key = head.of(x.k, head.keys, kw), *const value = head.of(x.v, head.keys, vw);
  const Panel<T> query =
      scaled_panel(q.length, kw, head.of(x.q, head.rows, kw) + q.offset * x.q.stride, x.q.stride, shape.scale, memory);
  const Panel<T> query_t = transposed_panel(q.length, kw, query.data, query.stride, memory);
  T *const score = memory.take(key_tile, q.length), *const result = memory.take(q.length, vw);
  T *const top = memory.take(1, q.length), *const total = memory.take(1, q.length),
           *const correction = memory.take(1, q.length);
  std::fill_n(top, width, blocked<T>);
  std::fill_n(total, width, T{0});
  std::fill_n(result, q.length * result_width, T{0});

  const Index end = tiling.keys_before(q.offset + q.length);
  for (Index first = 0; first < end; first += key_tile) {
    const Reach<T> reach = tiling.reach(q, first, end);
    score_product(reach, kw, key + first * x.k.stride, x.k.stride, query_t, score);
    block(reach, blocked<T>, score);
    for (Index lane = 0; lane < width; lane += L)
      softmax_lanes_step(reach.keys_of_lane(lane), score + lane, width, top + lane, total + lane, correction + lane);
    for (Index i = 0; i < q.length; ++i)
      for (Index c = 0; c < result_width; ++c) result[i * result_width + c] *= correction[i];
    for (Index j = 0; j < reach.keys && mask.data; ++j) {
      const std::uint8_t* const keep = mask.of(head.number, first + j, q.offset);
      T* const row = score + j * width;
#pragma omp simd
      for (Index i = 0; i < width; ++i) row[i] = select(keep[i] != 0, row[i] * keep_scale, T{0});
    }
    Bump<T> panels = memory;
    const T* const values = value + first * x.v.stride;
    const bool finite = !reach.cuts() || all_finite(reach.keys, vw, values, x.v.stride);
    sum_over_keys(reach, finite, result_width, score, as_panel(reach.keys, vw, values, x.v.stride, panels), result,
                  result_width, true, panels);
  }
  T* const to = head.of(out, head.rows, vw) + q.offset * out.stride;
  for (Index i = 0; i < q.length; ++i) {
    if (log_sum) log_sum[i] = top[i] + std::log(total[i]);
    for (Index c = 0; c < vw; ++c) to[i * out.stride + c] = result[i * result_width + c] / total[i];
  }
}

/// One way back of a tile of queries `q` past the keys [first, end): dk and dv grow, dq becomes what these keys add.
template <class T>
void backward_tile(const Tiling<T>& tiling, const Head<T>& head, RowSpan q, Index first, Index end,
                   const AttentionColumns<const T>& x, const StripeMask<T>& mask, const T* log_sum,
                   Columns<const T> out, Columns<const T> dout, T* dq, const AttentionColumns<T>& dx, Bump<T> memory) {
  const AttentionShape<T>& shape = tiling.shape;
  const Index kw = shape.key_width, vw = shape.value_width, width = padded<T>(q.length), dq_width = padded<T>(kw);
  const T keep_scale = shape.keep_scale;
  end = std::min(end, tiling.keys_before(q.offset + q.length));
  std::fill_n(dq, q.length * dq_width, T{0});
  if (first >= end) return;
  const auto rows_of = [&](const auto& matrix, Index cols) {
    return head.of(matrix, head.rows, cols) + q.offset * matrix.stride;
  };
  const T *const y = rows_of(out, vw), *const dy = rows_of(dout, vw);
  const Panel<T> query = scaled_panel(q.length, kw, rows_of(x.q, kw), x.q.stride, shape.scale, memory);
  const Panel<T> d_out = scaled_panel(q.length, vw, dy, dout.stride, T{1}, memory);
  const Panel<T> query_t = transposed_panel(q.length, kw, query.data, query.stride, memory);
  const Panel<T> d_out_t = transposed_panel(q.length, vw, d_out.data, d_out.stride, memory);
  T *const weight = memory.take(key_tile, q.length), *const d_score = memory.take(key_tile, q.length);
  T *const log_total = memory.take(1, q.length), *const dot = memory.take(1, q.length);
  std::fill_n(log_total, width, T{0});
  std::fill_n(dot, width, T{0});
  std::copy_n(log_sum, q.length, log_total);
  for (Index i = 0; i < q.length; ++i)  // sum_j P dP = sum_c y dy
    for (Index c = 0; c < vw; ++c) dot[i] += y[i * out.stride + c] * dy[i * dout.stride + c];
  const bool finite_rows =
      all_finite(q.length, kw, query.data, query.stride) && all_finite(q.length, vw, d_out.data, d_out.stride);

  for (; first < end; first += key_tile) {
    const Reach<T> reach = tiling.reach(q, first, end);
    const T* const key = head.of(x.k, head.keys, kw) + first * x.k.stride;
    score_product(reach, kw, key, x.k.stride, query_t, weight);
    score_product(reach, vw, head.of(x.v, head.keys, vw) + first * x.v.stride, x.v.stride, d_out_t, d_score);
    // weight = m P, dscore = P (m dP - sum P dP), as softmax_lanes_backward has them
    for (Index j = 0; j < reach.keys; ++j) {
      T *const p = weight + j * width, *const ds = d_score + j * width;
      const std::uint8_t* const keep = mask.data ? mask.of(head.number, first + j, q.offset) : nullptr;
      const Index begin = reach.first_computed(j);
#pragma omp simd
      for (Index i = begin; i < width; ++i) p[i] = kernels::exp(p[i] - log_total[i]);
      if (keep) {
#pragma omp simd
        for (Index i = begin; i < width; ++i) {
          const T m = select(keep[i] != 0, keep_scale, T{0});
          ds[i] = p[i] * (m * ds[i] - dot[i]);
          p[i] *= m;
        }
      } else {
#pragma omp simd
        for (Index i = begin; i < width; ++i) ds[i] = p[i] * (ds[i] - dot[i]);
      }
    }
    block(reach, T{0}, weight);
    block(reach, T{0}, d_score);
    Bump<T> panels = memory;
    const bool finite = !reach.cuts() || (finite_rows && all_finite(reach.keys, kw, key, x.k.stride));
    const auto rows_from = [&](const Columns<T>& to, Index cols) {
      return head.of(to, head.keys, cols) + first * to.stride;
    };
    if (dx.v.data) sum_over_queries(reach, finite, vw, weight, d_out, rows_from(dx.v, vw), dx.v.stride, true, panels);
    if (dx.k.data) sum_over_queries(reach, finite, kw, d_score, query, rows_from(dx.k, kw), dx.k.stride, true, panels);
    if (dx.q.data) {
      const Panel<T> keys = as_panel(reach.keys, kw, key, x.k.stride, panels);
      sum_over_keys(reach, finite, dq_width, d_score, keys, dq, dq_width, true, panels);
    }
  }
}

/// Calls work(first, end) for the stripes of `rows` queries, one after the other.
template <class Work>
void for_stripes(Index rows, const Work& work) {
  for (Index first = 0; first < rows; first += stripe) work(first, std::min(first + stripe, rows));
}

/// Rows `span` become zero, unless they are added to.
template <class T>
void clear(Columns<T> matrix, const RowSpan& span, Index cols) {
  if (matrix.data == nullptr || matrix.add) return;
  parallel_ranges(span.length, 64, [&](Index first, Index end) {
    for (Index i = first; i < end; ++i) std::fill_n(matrix.data + (span.offset + i) * matrix.stride, cols, T{0});
  });
}

}  // namespace

template <class T>
Index tiles_scratch_size(const AttentionShape<T>& shape, Index b) {
  const Tiling<T> tiling(shape, b);
  return tiling.mask_size() + tiling.partial_size() + threads() * tiling.scratch_size_of_thread();
}

template <class T>
void tiles_forward(const AttentionShape<T>& shape, Index b, const AttentionColumns<const T>& x, T* log_sums,
                   Columns<T> out, T* scratch) {
  const Tiling<T> tiling(shape, b);
  T* const own = scratch + tiling.mask_size();
  for_stripes(tiling.rows, [&](Index first, Index end) {
    const StripeMask<T> mask(tiling, first, end, scratch);
    const Index tiles = (end - first + query_tile - 1) / query_tile;
    parallel_for(shape.heads * tiles, [&](Index piece) {
      const Head<T> head(shape, b, piece / tiles);
      const Index begin = first + piece % tiles * query_tile;
      T* const log_sum = log_sums ? log_sums + head.number * shape.query.rows + head.rows.offset + begin : nullptr;
      forward_tile(tiling, head, {begin, std::min(query_tile, end - begin)}, x, mask, log_sum, out,
                   Bump<T>{own + thread_index() * tiling.scratch_size_of_thread()});
    });
  });
}

template <class T>
void tiles_backward(const AttentionShape<T>& shape, Index b, const AttentionColumns<const T>& x, const T* log_sums,
                    Columns<const T> out, Columns<const T> dout, const AttentionColumns<T>& dx, T* scratch) {
  const Tiling<T> tiling(shape, b);
  const Index kw = shape.key_width, dq_width = padded<T>(kw), parts = tiling.key_parts;
  T *const partials = scratch + tiling.mask_size(), *const own = partials + tiling.partial_size();
  const auto partial = [&](Index head, Index part) { return partials + (head * parts + part) * stripe * dq_width; };
  clear(dx.k, shape.key.sequences[b], shape.heads * kw);
  clear(dx.v, shape.key.sequences[b], shape.heads * shape.value_width);
  for_stripes(tiling.rows, [&](Index first, Index end) {
    const StripeMask<T> mask(tiling, first, end, scratch);
    parallel_for(shape.heads * parts, [&](Index piece) {
      const Head<T> head(shape, b, piece / parts);
      const Index part = piece % parts, begin_key = part * tiling.keys_of_part;
      const Index end_key = std::min(begin_key + tiling.keys_of_part, tiling.keys);
      for (Index i = first; i < end; i += query_tile)
        backward_tile(tiling, head, {i, std::min(query_tile, end - i)}, begin_key, end_key, x, mask,
                      log_sums + head.number * shape.query.rows + head.rows.offset + i, out, dout,
                      partial(head.number, part) + (i - first) * dq_width, dx,
                      Bump<T>{own + thread_index() * tiling.scratch_size_of_thread()});
    });
    if (!dx.q.data) return;
    parallel_for(shape.heads, [&](Index h) {
      const Head<T> head(shape, b, h);
      T* const to = head.of(dx.q, head.rows, kw);
      for (Index i = first; i < end; ++i)
        for (Index c = 0; c < kw; ++c) {
          T sum = partial(h, 0)[(i - first) * dq_width + c];
          for (Index part = 1; part < parts; ++part) sum += partial(h, part)[(i - first) * dq_width + c];
          T& element = to[i * dx.q.stride + c];
          element = dx.q.add ? element + shape.scale * sum : shape.scale * sum;
        }
    });
  });
}

#define GLOSSA_INSTANTIATE(T)                                                                                         \
  template Index tiles_scratch_size(const AttentionShape<T>&, Index);                                                 \
  template void tiles_forward(const AttentionShape<T>&, Index, const AttentionColumns<const T>&, T*, Columns<T>, T*); \
  template void tiles_backward(const AttentionShape<T>&, Index, const AttentionColumns<const T>&, const T*,           \
                               Columns<const T>, Columns<const T>, const AttentionColumns<T>&, T*);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)

}  // namespace glossa::kernels
