#include "autograd/kernels/attention.h"

#include <algorithm>

#include "autograd/kernels/attention_paths.h"
#include "autograd/kernels/product_log.h"
#include "autograd/parallel.h"

namespace glossa::kernels {

namespace {

/// Zeroes the rows that do not belong to a sequence.
template <class T>
void zero_gaps(const RowLayout& layout, const Columns<T>& matrix, Index cols) {
  if (matrix.data == nullptr || matrix.add) return;
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

/// Elements of scratch that a thread needs for the sequences outside tiles.
template <class T>
Index scratch_size_of_thread(const AttentionShape<T>& shape) {
  Index size = 0;
  for (Index b = 0; b < shape.query.sequence_count(); ++b)
    if (!shape.in_tiles(b)) size = std::max({size, whole_scratch_size(shape, b), few_scratch_size(shape, b)});
  return size;
}

/// Calls work(heads, scratch) for all heads of all sequences outside tiles. One thread takes all heads of a sequence,
/// because the heads' columns are adjacent in memory. If there are few sequences, every head is a piece of its own.
template <class T, class Work>
void for_heads(const AttentionShape<T>& shape, T* scratch, const Work& work) {
  const Index together = shape.query.sequence_count() >= 32 ? shape.heads : 1, pieces = shape.heads / together;
  const Index scratch_size = scratch_size_of_thread(shape);
  parallel_for(shape.query.sequence_count() * pieces, [&](Index piece) {
    const Index b = piece / pieces, first = piece % pieces * together;
    if (!shape.in_tiles(b)) work(HeadRange{b, first, first + together}, scratch + thread_index() * scratch_size);
  });
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
    if (in_tiles(b)) size = std::max(size, tiles_scratch_size(*this, b));
  return size;
}

template <class T>
void attention_forward(const AttentionShape<T>& shape, const AttentionColumns<const T>& x,
                       const AttentionSaved<T>& saved, const Columns<T>& out, T* scratch) {
  note_product({.m = shape.scores(), .n = 1, .k = shape.key_width + shape.value_width, .per_head = true});
  zero_gaps(shape.query, out, shape.heads * shape.value_width);
  for_heads(shape, scratch, [&](const HeadRange& heads, T* own) {
    const bool few = shape.path(heads.sequence) == AttentionPath::few;
    (few ? few_forward<T> : whole_forward<T>)(shape, heads, x, saved.weights, out, own);
  });
  for (Index b = 0; b < shape.query.sequence_count(); ++b)
    if (shape.in_tiles(b)) tiles_forward(shape, b, x, saved.log_sums, out, scratch);
}

template <class T>
void attention_backward(const AttentionShape<T>& shape, const AttentionColumns<const T>& x,
                        const AttentionSaved<T>& saved, const Columns<const T>& out, const Columns<const T>& dout,
                        const AttentionColumns<T>& dx, T* scratch) {
  note_product({.m = shape.scores(), .n = 2, .k = shape.key_width + shape.value_width, .per_head = true});
  zero_gaps(shape.query, dx.q, shape.heads * shape.key_width);
  zero_gaps(shape.key, dx.k, shape.heads * shape.key_width);
  zero_gaps(shape.key, dx.v, shape.heads * shape.value_width);
  for_heads(shape, scratch,
            [&](const HeadRange& heads, T* own) { whole_backward(shape, heads, x, saved.weights, dout, dx, own); });
  for (Index b = 0; b < shape.query.sequence_count(); ++b)
    if (shape.in_tiles(b)) tiles_backward(shape, b, x, saved.log_sums, out, dout, dx, scratch);
}

#define GLOSSA_INSTANTIATE(T)                                                                                  \
  template struct AttentionShape<T>;                                                                           \
  template void attention_forward(const AttentionShape<T>&, const AttentionColumns<const T>&,                  \
                                  const AttentionSaved<T>&, const Columns<T>&, T*);                            \
  template void attention_backward(const AttentionShape<T>&, const AttentionColumns<const T>&,                 \
                                   const AttentionSaved<T>&, const Columns<const T>&, const Columns<const T>&, \
                                   const AttentionColumns<T>&, T*);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa::kernels
