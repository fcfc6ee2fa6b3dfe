#include "autograd/kernels/attention_paths.h"
#include "autograd/kernels/attention_tiling.h"

namespace glossa::kernels {

namespace {

/// One call: what all tiles read and write.
template <class T>
struct BackwardCall {
  const AttentionColumns<const T>& x;
  const T* log_sums;
  Columns<const T> out, dout;
  const AttentionColumns<T>& dx;
};

/// With P = exp(score - log_sum) and the dropout mask m: weight = m P in place of the scores, and
/// dscore = P (m dP - sum P dP) in place of dP = dy v^T.
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

/// The queries `q` of a head past the keys [first, end): dk and dv grow, and dq becomes what these keys give it, before
/// the scale.
template <class T>
void backward_tile(const Tiling<T>& tiling, const Head<T>& head, RowSpan q, Index first, Index end,
                   const StripeMask<T>& mask, const BackwardCall<T>& call, T* dq, Bump<T> memory) {
  const AttentionShape<T>& shape = tiling.shape;
  const auto& [x, log_sums, out, dout, dx] = call;
  const Index kw = shape.key_width, vw = shape.value_width, width = padded<T>(q.length), dq_width = padded<T>(kw);
  end = std::min(end, tiling.keys_before(q.offset + q.length));
  std::fill_n(dq, q.length * dq_width, T{0});
  if (first >= end) return;

  const T* const y = head.of(out, head.rows, vw) + q.offset * out.stride;
  const T* const dy = head.of(dout, head.rows, vw) + q.offset * dout.stride;
  const Panel<T> query =
      scaled_panel(q.length, kw, head.of(x.q, head.rows, kw) + q.offset * x.q.stride, x.q.stride, shape.scale, memory);
  const Panel<T> d_out = scaled_panel(q.length, vw, dy, dout.stride, T{1}, memory);
  const Panel<T> query_t = transposed_panel(q.length, kw, query.data, query.stride, memory);
  const Panel<T> d_out_t = transposed_panel(q.length, vw, d_out.data, d_out.stride, memory);
  const bool finite_rows = all_finite(q.length, query.stride, query.data, query.stride) &&
                           all_finite(q.length, d_out.stride, d_out.data, d_out.stride);
  T *const weight = memory.take(key_tile, q.length), *const d_score = memory.take(key_tile, q.length);
  T *const log_sum = memory.take(1, q.length), *const dot = memory.take(1, q.length);
  std::fill_n(log_sum, width, T{0});
  std::copy_n(log_sums + head.number * shape.query.rows + head.rows.offset + q.offset, q.length, log_sum);
  std::fill_n(dot, width, T{0});
  for (Index i = 0; i < q.length; ++i)  // sum_j P dP = sum_c y dy
    for (Index c = 0; c < vw; ++c) dot[i] += y[i * out.stride + c] * dy[i * dout.stride + c];

  for (; first < end; first += key_tile) {
    const Reach<T> reach = tiling.reach(q, first, end);
    const RowSpan keys{head.keys.offset + first, reach.keys};
    const T *const key = head.of(x.k, keys, kw), *const value = head.of(x.v, keys, vw);
    score_product(reach, kw, key, x.k.stride, query_t, weight);
    score_product(reach, vw, value, x.v.stride, d_out_t, d_score);
    weigh_again(reach, mask.of(head.number, first, q.offset), shape.keep_scale, log_sum, dot, weight, d_score);
    Bump<T> panels = memory;
    const bool finite = !reach.cuts() || (finite_rows && all_finite(reach.keys, kw, key, x.k.stride));
    if (dx.v.data)  // dv += weight dy
      sum_over_queries(reach, finite, vw, weight, d_out, head.of(dx.v, keys, vw), dx.v.stride, true, panels);
    if (dx.k.data)  // dk += dscore (scale q)
      sum_over_queries(reach, finite, kw, d_score, query, head.of(dx.k, keys, kw), dx.k.stride, true, panels);
    if (dx.q.data) {  // dq += dscore^T k
      const Panel<T> key_rows = as_panel(reach.keys, kw, key, x.k.stride, panels);
      sum_over_keys(reach, finite, dq_width, d_score, key_rows, dq, dq_width, true, panels);
    }
  }
}

/// Rows `span` become zero, unless they are added to anyway.
template <class T>
void clear(const Columns<T>& matrix, const RowSpan& span, Index cols) {
  if (matrix.data == nullptr || matrix.add) return;
  parallel_ranges(span.length, 64, [&](Index first, Index end) {
    for (Index i = first; i < end; ++i) std::fill_n(matrix.data + (span.offset + i) * matrix.stride, cols, T{0});
  });
}

/// to (+)= scale * sum of the `parts` matrices [stripe, width] that lie one after the other.
template <class T>
void add_parts(Index rows, Index cols, Index parts, Index width, const T* from, T scale, T* to, Index stride,
               bool add) {
  for (Index i = 0; i < rows; ++i)
    for (Index c = 0; c < cols; ++c) {
      T sum = from[i * width + c];
      for (Index part = 1; part < parts; ++part) sum += from[(part * stripe + i) * width + c];
      to[i * stride + c] = add ? to[i * stride + c] + scale * sum : scale * sum;
    }
}

}  // namespace

template <class T>
void tiles_backward(const AttentionShape<T>& shape, Index b, const AttentionColumns<const T>& x, const T* log_sums,
                    Columns<const T> out, Columns<const T> dout, const AttentionColumns<T>& dx, T* scratch) {
  const Tiling<T> tiling(shape, b);
  const Index kw = shape.key_width, width = padded<T>(kw), parts = tiling.parts;
  T *const partials = scratch + tiling.mask_size(), *const own = partials + tiling.partial_size();
  clear(dx.k, shape.key.sequences[b], shape.heads * kw);
  clear(dx.v, shape.key.sequences[b], shape.heads * shape.value_width);
  for_stripes(tiling, scratch, [&](Index first, Index end, const StripeMask<T>& mask) {
    parallel_for(shape.heads * parts, [&](Index piece) {
      const Index first_key = piece % parts * tiling.keys_of_part;
      const Index end_key = std::min(first_key + tiling.keys_of_part, tiling.keys);
      for (Index i = first; i < end; i += query_tile)
        backward_tile(tiling, Head<T>(shape, b, piece / parts), {i, std::min(query_tile, end - i)}, first_key, end_key,
                      mask, {x, log_sums, out, dout, dx}, partials + (piece * stripe + i - first) * width,
                      Bump<T>{own + thread_index() * tiling.scratch_size_of_thread()});
    });
    if (dx.q.data)
      parallel_for(shape.heads, [&](Index h) {
        const Head<T> head(shape, b, h);
        add_parts(end - first, kw, parts, width, partials + h * parts * stripe * width, shape.scale,
                  head.of(dx.q, head.rows, kw) + first * dx.q.stride, dx.q.stride, dx.q.add);
      });
  });
}

#define GLOSSA_INSTANTIATE(T)                                                                               \
  template void tiles_backward(const AttentionShape<T>&, Index, const AttentionColumns<const T>&, const T*, \
                               Columns<const T>, Columns<const T>, const AttentionColumns<T>&, T*);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)

}  // namespace glossa::kernels
