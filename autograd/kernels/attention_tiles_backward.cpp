#include "autograd/kernels/attention_paths.h"
#include "autograd/kernels/attention_tiling.h"

/// Derivative of the path of long sequences, one tile of scores at a time:
///     S = (scale q) k^T + bias,    P = exp(S - log_sum),    dv = (m P)^T dy,
///     dP = m (dy v^T),    dS = P (dP - sum(dy y)),    dk = dS^T (scale q),    dq = scale dS k.
/// sum(dy y), over the columns of the result, equals sum(dP P), over all keys.
namespace glossa::kernels {

namespace {

/// Arguments of one call, which all tiles read and write.
template <class T>
struct BackwardCall {
  const AttentionColumns<const T>& x;
  const T* log_sums;
  Columns<const T> y, dy;
  AttentionColumns<T> dx;  // each tile adds to dk and dv
};

/// Replaces S by m P in `weight`, and dy v^T by dS in `dp`. `dot` is sum(dy y) of each query.
template <class T>
void weigh_again(const Reach<T>& reach, const std::uint8_t* keep, T keep_scale, const T* log_sum, const T* dot,
                 T* weight, T* dp) {
  const Index width = padded<T>(reach.rows);
  for (Index j = 0; j < reach.keys; ++j) {
    T *const p = weight + j * width, *const ds = dp + j * width;  // ds begins as dy v^T
    const Index begin = reach.first_computed(j);
#pragma omp simd
    for (Index i = begin; i < width; ++i) p[i] = kernels::exp(p[i] - log_sum[i]);
    if (keep) {
      const std::uint8_t* const kept = keep + j * stripe;
#pragma omp simd
      for (Index i = begin; i < width; ++i) {
        const T m = select(kept[i] != 0, keep_scale, T{0});
        ds[i] = p[i] * (m * ds[i] - dot[i]);
        p[i] *= m;
      }
    } else {
#pragma omp simd
      for (Index i = begin; i < width; ++i) ds[i] = p[i] * (ds[i] - dot[i]);
    }
  }
  block_scores(reach, T{0}, weight);
  block_scores(reach, T{0}, dp);
}

/// Processes a head's queries `q` with the keys [first, end). Adds to dk and dv. Sets dq to the contribution of these
/// keys, not yet multiplied by the scale.
template <class T>
void backward_tile(const AttentionTiling<T>& tiling, const Head<T>& head, RowSpan q, Index first, Index end,
                   const StripeMask<T>& mask, const BackwardCall<T>& call, T* dq, Bump<T> memory) {
  const AttentionShape<T>& shape = tiling.shape;
  const auto& [x, log_sums, y, dy, dx] = call;
  const Index kw = shape.key_width, vw = shape.value_width, width = padded<T>(q.length), dq_width = padded<T>(kw);
  end = std::min(end, tiling.keys_before(q.offset + q.length));
  std::fill_n(dq, q.length * dq_width, T{0});
  if (first >= end) return;

  const RowSpan rows{head.rows.offset + q.offset, q.length};
  const Columns<const T> head_y = head.of(y, rows, vw), head_dy = head.of(dy, rows, vw);
  const Panel<T> query_panel = scaled_panel(q.length, kw, head.of(x.q, rows, kw), shape.scale, memory);
  const Panel<T> dy_panel = scaled_panel(q.length, vw, head_dy, T{1}, memory);
  const Panel<T> query_t = transposed_panel(q.length, kw, query_panel.columns(), memory);
  const Panel<T> dy_t = transposed_panel(q.length, vw, dy_panel.columns(), memory);
  const bool finite_rows = all_finite(q.length, query_panel.stride, query_panel.columns()) &&
                           all_finite(q.length, dy_panel.stride, dy_panel.columns());
  T *const weight = memory.take(key_tile, q.length), *const dp = memory.take(key_tile, q.length);
  T *const log_sum = memory.take(1, q.length), *const dot = memory.take(1, q.length);
  std::fill_n(log_sum, width, T{0});
  std::copy_n(log_sums + head.number * shape.query.rows + head.rows.offset + q.offset, q.length, log_sum);
  std::fill_n(dot, width, T{0});
  for (Index i = 0; i < q.length; ++i)
    for (Index c = 0; c < vw; ++c) dot[i] += head_y.data[i * head_y.stride + c] * head_dy.data[i * head_dy.stride + c];

  for (; first < end; first += key_tile) {
    const Reach<T> reach = tiling.reach(q, first, end);
    const RowSpan keys{head.keys.offset + first, reach.keys};
    const Columns<const T> key = head.of_key(x.k, keys, kw);
    score_product(reach, kw, key, query_t, weight);
    add_biases(reach, DistanceBias<T>(shape, head, q.offset, first), weight);
    score_product(reach, vw, head.of_key(x.v, keys, vw), dy_t, dp);  // dy v^T, dP without m
    weigh_again(reach, mask.of(head.number, first, q.offset), shape.keep_scale, log_sum, dot, weight, dp);
    const T* const ds = dp;  // dS has replaced dP
    Bump<T> panels = memory;
    const bool finite = !reach.cuts() || (finite_rows && all_finite(reach.keys, kw, key));
    if (dx.v.data)  // dv += (m P)^T dy
      sum_over_queries(reach, vw, weight, dy_panel, head.of_key(dx.v, keys, vw), finite, panels);
    if (dx.k.data)  // dk += dS^T (scale q)
      sum_over_queries(reach, kw, ds, query_panel, head.of_key(dx.k, keys, kw), finite, panels);
    if (dx.q.data) {  // dq += dS k
      const Panel<T> key_panel = as_panel(reach.keys, kw, key, panels);
      sum_over_keys(reach, dq_width, ds, key_panel, {dq, dq_width, /*add=*/true}, finite, panels);
    }
  }
}

/// Zeroes the rows `span` of a gradient unless `add` is set. Sets `add`, so that later writes add.
template <class T>
void begin_sum(Columns<T>& matrix, const RowSpan& span, Index cols) {
  if (matrix.data == nullptr || matrix.add) return;
  matrix.add = true;
  parallel_ranges(span.length, 64, [&](Index first, Index end) {
    for (Index i = first; i < end; ++i) std::fill_n(matrix.data + (span.offset + i) * matrix.stride, cols, T{0});
  });
}

/// to (+)= scale * the sum of `parts` consecutive matrices [stripe, padded(cols)].
template <class T>
void add_parts(Index rows, Index cols, Index parts, const T* from, T scale, const Columns<T>& to) {
  const Index width = padded<T>(cols);
  for (Index i = 0; i < rows; ++i)
    for (Index c = 0; c < cols; ++c) {
      T sum = from[i * width + c];
      for (Index part = 1; part < parts; ++part) sum += from[(part * stripe + i) * width + c];
      T& result = to.data[i * to.stride + c];
      result = to.add ? result + scale * sum : scale * sum;
    }
}

}  // namespace

template <class T>
void tiles_backward(const AttentionShape<T>& shape, Index b, const AttentionColumns<const T>& x, const T* log_sums,
                    const Columns<const T>& y, const Columns<const T>& dy, const AttentionColumns<T>& dx, T* scratch) {
  const AttentionTiling<T> tiling(shape, b);
  const Index kw = shape.key_width, width = padded<T>(kw), parts = tiling.parts;
  T *const partials = scratch + tiling.mask_size(), *const own = partials + tiling.partial_size();
  BackwardCall<T> call{x, log_sums, y, dy, dx};
  begin_sum(call.dx.k, shape.key.sequences[b], shape.key_heads * kw);
  begin_sum(call.dx.v, shape.key.sequences[b], shape.key_heads * shape.value_width);
  for_stripes(tiling, scratch, [&](Index first, Index end, const StripeMask<T>& mask) {
    parallel_for(shape.key_heads * parts, [&](Index piece) {
      const Index part = piece % parts, first_key = part * tiling.keys_of_part;
      const Index end_key = std::min(first_key + tiling.keys_of_part, tiling.keys);
      const Index leader = piece / parts * shape.group_size();
      for (Index h = leader; h < leader + shape.group_size(); ++h)
        for (Index i = first; i < end; i += query_tile)
          backward_tile(tiling, Head<T>(shape, b, h), {i, std::min(query_tile, end - i)}, first_key, end_key, mask,
                        call, partials + ((h * parts + part) * stripe + i - first) * width,
                        Bump<T>{own + thread_index() * tiling.scratch_size_of_thread()});
    });
    if (dx.q.data)
      parallel_for(shape.heads, [&](Index h) {
        const Head<T> head(shape, b, h);
        add_parts(end - first, kw, parts, partials + h * parts * stripe * width, shape.scale,
                  head.of(dx.q, head.rows, kw).from_row(first));
      });
  });
}

#define GLOSSA_INSTANTIATE(T)                                                                               \
  template void tiles_backward(const AttentionShape<T>&, Index, const AttentionColumns<const T>&, const T*, \
                               const Columns<const T>&, const Columns<const T>&, const AttentionColumns<T>&, T*);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa::kernels
