#include "autograd/kernels/attention.h"

#include <algorithm>

#include "autograd/kernels/attention_bf16.h"
#include "autograd/kernels/attention_paths.h"
#include "autograd/kernels/product_log.h"
#include "base/parallel.h"

namespace glossa::kernels {

namespace {

/// Zeroes the rows outside all sequences.
template <class T>
void zero_gaps(const RowLayout& layout, const Columns<T>& matrix, Index cols) {
  if (matrix.data == nullptr || matrix.add) return;
  Index row = 0;
  const auto zero_until = [&](Index end) {
    for (; row < end; ++row) std::fill_n(matrix.data + row * matrix.stride, cols, T{});
  };
  for (const RowSpan& sequence : layout.sequences) {
    zero_until(sequence.offset);
    row = std::max(row, sequence.offset + sequence.length);
  }
  zero_until(layout.rows);
}

/// Scratch size in elements per thread, for sequences outside tiles. The derivative processes the most heads together.
template <class T>
Index scratch_size_of_thread(const AttentionShape<T>& shape) {
  Index size = 0;
  for (Index b = 0; b < shape.query.sequence_count(); ++b)
    if (!shape.in_tiles(b))
      size = std::max(size, widened_size(shape, b, heads_together(shape, b, Pass::backward)) +
                                std::max(whole_scratch_size(shape, b), few_scratch_size(shape, b)));
  return size;
}

/// Calls work(heads, scratch) for all heads of all sequences, with the scratch of the calling thread. In tiles, a
/// sequence is one piece of work, which uses all threads and all scratch.
template <class T, class Work>
void for_pieces(const AttentionShape<T>& shape, Pass pass, T* scratch, const Work& work) {
  const Index sequences = shape.query.sequence_count(), scratch_size = scratch_size_of_thread(shape);
  Index step = shape.heads;  // smallest number of heads in a piece
  for (Index b = 0; b < sequences; ++b) step = std::min(step, heads_together(shape, b, pass));
  const Index pieces = shape.heads / step;
  parallel_for(sequences * pieces, [&](Index piece) {
    const Index b = piece / pieces, first = piece % pieces * step, together = heads_together(shape, b, pass);
    if (shape.in_tiles(b) || first % together != 0) return;
    work(HeadRange{b, first, first + together}, scratch + thread_index() * scratch_size);
  });
  for (Index b = 0; b < sequences; ++b)
    if (shape.in_tiles(b)) work(HeadRange{b, 0, shape.heads}, scratch);
}

}  // namespace

template <class T>
bool AttentionShape<T>::any_in_tiles() const {
  bool any = false;
  for (Index b = 0; b < query.sequence_count(); ++b) any |= in_tiles(b);
  return any;
}

template <class T>
Index AttentionShape<T>::scores() const {
  Index count = 0;
  for (Index b = 0; b < query.sequence_count(); ++b) {
    const Index rows = query.sequences[b].length, keys = key.sequences[b].length, corner = std::min(rows, keys);
    count += causal ? corner * (corner + 1) / 2 + (rows - corner) * keys : rows * keys;
  }
  return heads * count;
}

template <class T>
Index AttentionShape<T>::scratch_size() const {
  Index size = threads() * scratch_size_of_thread(*this);
  for (Index b = 0; b < query.sequence_count(); ++b)
    if (in_tiles(b)) size = std::max(size, widened_size(*this, b, heads) + tiles_scratch_size(*this, b));
  return size;
}

template <class T, class E>
void attention_forward(const AttentionShape<T>& shape, const AttentionColumns<const E>& x,
                       const AttentionSaved<T>& saved, const Columns<E>& y, T* scratch) {
  ProductLog::note({.m = shape.scores(), .n = 1, .k = shape.key_width + shape.value_width, .per_head = true});
  zero_gaps(shape.query, y, shape.heads * shape.value_width);
  for_pieces(shape, Pass::forward, scratch,
             [&](const HeadRange& heads, T* own) { forward_piece(shape, heads, x, saved, y, own); });
}

template <class T, class E>
void attention_backward(const AttentionShape<T>& shape, const AttentionColumns<const E>& x,
                        const AttentionSaved<T>& saved, const Columns<const E>& y, const Columns<const T>& dy,
                        const AttentionColumns<T>& dx, T* scratch) {
  ProductLog::note({.m = shape.scores(), .n = 2, .k = shape.key_width + shape.value_width, .per_head = true});
  zero_gaps(shape.query, dx.q, shape.heads * shape.key_width);
  zero_gaps(shape.key, dx.k, shape.key_heads * shape.key_width);
  zero_gaps(shape.key, dx.v, shape.key_heads * shape.value_width);
  for_pieces(shape, Pass::backward, scratch,
             [&](const HeadRange& heads, T* own) { backward_piece(shape, heads, x, saved, y, dy, dx, own); });
}

#define GLOSSA_INSTANTIATE(T, E)                                                                               \
  template void attention_forward(const AttentionShape<T>&, const AttentionColumns<const E>&,                  \
                                  const AttentionSaved<T>&, const Columns<E>&, T*);                            \
  template void attention_backward(const AttentionShape<T>&, const AttentionColumns<const E>&,                 \
                                   const AttentionSaved<T>&, const Columns<const E>&, const Columns<const T>&, \
                                   const AttentionColumns<T>&, T*);
template struct AttentionShape<float>;
template struct AttentionShape<double>;
GLOSSA_INSTANTIATE(float, float)
GLOSSA_INSTANTIATE(double, double)
GLOSSA_INSTANTIATE(float, Bf16)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa::kernels
