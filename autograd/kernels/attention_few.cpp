#include "autograd/kernels/attention_head.h"
#include "autograd/kernels/attention_paths.h"
#include "autograd/kernels/softmax_lanes.h"

/// The path of sequences with fewer than `few_queries` queries, as in decoding:
///     score_j = scale q k_j + mask_j - slope |distance|,    P = softmax(score),    y = sum_j m_j P_j v_j
/// for one query at a time, with its heads as lanes. Saves P in the layout of the path `whole`, which has the
/// derivative.
namespace glossa::kernels {

/// Reads keys and values once, in memory order, for all heads that share them. `score` is scratch [keys,
/// padded(heads)].
template <class T>
void few_forward(const AttentionShape<T>& shape, const HeadRange& range, const AttentionColumns<const T>& x, T* weights,
                 const Columns<T>& y, T* score) {
  const Head<T> head(shape, range.sequence, range.first);
  const Index keys = head.keys.length, rows = padded<T>(head.rows.length);
  const Index heads = range.last - range.first, group = shape.group_size(), width = padded<T>(heads);
  const auto [q, k, v] = HeadOperands<T>(shape, head, x);
  const Columns<T> results = head.of(y, head.rows, shape.value_width);
  T* const kept = weights ? weights + head.cells : nullptr;  // [heads, keys, rows]
  const std::uint8_t* const keep = shape.keep.empty() ? nullptr : shape.keep.data() + head.cells;
  if (kept) std::fill_n(kept, heads * keys * rows, T{0});
  std::fill_n(score, keys * width, T{0});
  for (Index i = 0; i < head.rows.length; ++i) {
    T* const result = results.from_row(i).data;
    for (Index j = 0; j < keys; ++j) {
      T* const row = score + j * width;
      const T mask = shape.causal && j > i ? blocked<T> : shape.mask.data ? shape.mask.row(j)[i] : T{0};
      if (mask != blocked<T>)
        head_dots(heads, group, shape.key_width, q.numbers.from_row(i).data, k.numbers.from_row(j).data, row);
      for (Index h = 0; h < heads; ++h) row[h] = mask == blocked<T> ? mask : row[h] * shape.scale + mask;
      if (!shape.slopes.empty()) {
        const T distance = static_cast<T>(std::abs(shape.distance(i, j)));
        for (Index h = 0; h < heads; ++h) row[h] -= shape.slopes[range.first + h] * distance;
      }
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
      add_weighted_heads(heads, group, shape.value_width, row, v.numbers.from_row(j).data, result);
    }
  }
}

#define GLOSSA_INSTANTIATE(T)                                                                                 \
  template void few_forward(const AttentionShape<T>&, const HeadRange&, const AttentionColumns<const T>&, T*, \
                            const Columns<T>&, T*);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa::kernels
