#include "autograd/kernels/attention_paths.h"
#include "autograd/kernels/attention_tiling.h"

/// Derivative of the path of long sequences, one tile of scores at a time:
///     P = exp(score - log_sum),    dscore = P (m dP - sum(dy y))    with dP = dy v^T,
///     dv = (m P)^T dy,    dk = dscore^T (scale q),    dq = scale dscore k.
/// sum(dy y), over the columns of the result, replaces the sum of P m dP over all keys.
namespace glossa::kernels {

namespace {

/// Arguments of one call, which all tiles read and write.
template <class T>
struct BackwardCall {
  const AttentionColumns<const T>& x;
  const T* log_sums;
  Columns<const T> out, dout;
  AttentionColumns<T> dx;  // each tile adds to dk and dv
};

/// Replaces the scores by m P, and dP by dscore. `dot` is sum(dy y) of each query.
template <class T>
void weigh_again(const Reach<T>& reach, const std::uint8_t* keep, T keep_scale, const T* log_sum, const T* dot,
                 T* weight, T* d_score) {
  const Index width = padded<T>(reach.rows);
  for (Index j = 0; j < reach.keys; ++j) {
    T *const p = weight + j * width, *const ds = d_score + j * width;
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
  block_scores(reach, T{0}, d_score);
}

/// Processes a head's queries `q` with the keys [first, end). Adds to dk and dv. Sets dq to the contribution of these
/// keys, not yet multiplied by the scale.
template <class T>
void backward_tile(const AttentionTiling<T>& tiling, const Head<T>& head, RowSpan q, Index first, Index end,
                   const StripeMask<T>& mask, const BackwardCall<T>& call, T* dq, Bump<T> memory) {
  const AttentionShape<T>& shape = tiling.shape;
  const auto& [x, log_sums, out, dout, dx] = call;
  const Index kw = shape.key_width, vw = shape.value_width, width = padded<T>(q.length), dq_width = padded<T>(kw);
  end = std::min(end, tiling.keys_before(q.offset + q.length));
  std::fill_n(dq, q.length * dq_width, T{0});
  if (first >= end) return;

  const RowSpan rows{head.rows.offset + q.offset, q.length};
  const Columns<const T> y = head.of(out, rows, vw), dy = head.of(dout, rows, vw);
  const Panel<T> query = scaled_panel(q.length, kw, head.of(x.q, rows, kw), shape.scale, memory);
  const Panel<T> d_out = scaled_panel(q.length, vw, dy, T{1}, memory);
  const Panel<T> query_t = transposed_panel(q.length, kw, query.columns(), memory);
  const Panel<T> d_out_t = transposed_panel(q.length, vw, d_out.columns(), memory);
  const bool finite_rows =
      all_finite(q.length, query.stride, query.columns()) && all_finite(q.length, d_out.stride, d_out.columns());
  T *const weight = memory.take(key_tile, q.length), *const d_score = memory.take(key_tile, q.length);
  T *const log_sum = memory.take(1, q.length), *const dot = memory.take(1, q.length);
  std::fill_n(log_sum, width, T{0});
  std::copy_n(log_sums + head.number * shape.query.rows + head.rows.offset + q.offset, q.length, log_sum);
  std::fill_n(dot, width, T{0});
  for (Index i = 0; i < q.length; ++i)
    for (Index c = 0; c < vw; ++c) dot[i] += y.data[i * y.stride + c] * dy.data[i * dy.stride + c];

  for (; first < end; first += key_tile) {
    const Reach<T> reach = tiling.reach(q, first, end);
    const RowSpan keys{head.keys.offset + first, reach.keys};
    const Columns<const T> key = head.of_key(x.k, keys, kw);
    score_product(reach, kw, key, query_t, weight);
    add_biases(reach, DistanceBias<T>(shape, head, q.offset, first), weight);
    score_product(reach, vw, head.of_key(x.v, keys, vw), d_out_t, d_score);
    weigh_again(reach, mask.of(head.number, first, q.offset), shape.keep_scale, log_sum, dot, weight, d_score);
    Bump<T> panels = memory;
    const bool finite = !reach.cuts() || (finite_rows && all_finite(reach.keys, kw, key));
    if (dx.v.data)  // dv += weight dy
      sum_over_queries(reach, vw, weight, d_out, head.of_key(dx.v, keys, vw), finite, panels);
    if (dx.k.data)  // dk += dscore (scale q)
      sum_over_queries(reach, kw, d_score, query, head.of_key(dx.k, keys, kw), finite, panels);
    if (dx.q.data) {  // dq += dscore^T k
      const Panel<T> key_rows = as_panel(reach.keys, kw, key, panels);
      sum_over_keys(reach, dq_width, d_score, key_rows, {dq, dq_width, /*add=*/true}, finite, panels);
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
                    const Columns<const T>& out, const Columns<const T>& dout, const AttentionColumns<T>& dx,
                    T* scratch) {
  const AttentionTiling<T> tiling(shape, b);
  const Index kw = shape.key_width, width = padded<T>(kw), parts = tiling.parts;
  T *const partials = scratch + tiling.mask_size(), *const own = partials + tiling.partial_size();
  BackwardCall<T> call{x, log_sums, out, dout, dx};
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
