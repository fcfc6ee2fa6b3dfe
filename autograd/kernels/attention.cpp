#include "autograd/kernels/attention.h"

#include <algorithm>

#include "autograd/kernels/attention_head.h"
#include "autograd/kernels/attention_paths.h"
#include "autograd/kernels/bf16/round.h"
#include "autograd/kernels/pack.h"
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

/// Scratch size in elements for a mask of `count` bytes.
template <class T>
constexpr Index mask_size(Index count) {
  return padded<T>((count + Index{sizeof(T)} - 1) / Index{sizeof(T)});
}

/// Scratch size in elements for q, k, v, the weights and the result of some heads of a sequence in T, if they are in
/// bf16.
template <class T>
Index widened_size(const AttentionShape<T>& shape, Index b, Index heads) {
  if (!shape.in_bf16) return 0;
  const auto columns = [&](Index count) {
    return padded<T>(count * shape.key_width) + padded<T>(count * shape.value_width);
  };
  const Index rows = shape.query.sequences[b].length, keys = shape.key.sequences[b].length;
  return rows * columns(heads) + keys * columns(heads / shape.group_size()) +
         (shape.in_tiles(b) ? 0 : heads * keys * (padded<T>(rows) + mask_size<T>(padded<T>(rows))));
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

/// A view of scratch that holds some heads' columns in one sequence's rows. The paths address it by positions in the
/// whole matrix.
template <class T>
Columns<T> scratch_columns(const RowSpan& rows, const HeadRange& heads, Index width, Bump<T>& memory) {
  const Index cols = (heads.last - heads.first) * width, stride = padded<T>(cols);
  return {memory.take(rows.length, cols) - rows.offset * stride - heads.first * width, stride};
}

/// Returns the same columns of `x` in T: `x` itself, or a copy in scratch if the numbers are in bf16.
template <class T>
Columns<const T> widened(const Columns<const T>& x, const RowSpan&, const HeadRange&, Index, Bump<T>&) {
  return x;
}

template <class T>
Columns<const T> widened(const Columns<const Bf16>& x, const RowSpan& rows, const HeadRange& heads, Index width,
                         Bump<T>& memory) {
  const Columns<T> copy = scratch_columns(rows, heads, width, memory);
  const Index first = heads.first * width, cols = heads.last * width - first;
  for (Index i = rows.offset; i < rows.offset + rows.length; ++i)
    widen(cols, x.data + i * x.stride + first, copy.data + i * copy.stride + first);
  return {copy.data, copy.stride};
}

template <class T, class E>
AttentionColumns<const T> widened(const AttentionShape<T>& shape, const AttentionColumns<const E>& x,
                                  const HeadRange& heads, Bump<T>& memory) {
  const RowSpan rows = shape.query.sequences[heads.sequence], keys = shape.key.sequences[heads.sequence];
  const HeadRange key_heads = heads.of_keys(shape.group_size());
  return {widened<T>(x.q, rows, heads, shape.key_width, memory),
          widened<T>(x.k, keys, key_heads, shape.key_width, memory),
          widened<T>(x.v, keys, key_heads, shape.value_width, memory)};
}

/// Calls work(result) with the columns of `out` that some heads of a sequence fill, in T. If `out` is in bf16, these
/// columns are in scratch and are rounded afterwards.
template <class T, class Work>
void fill_result(const AttentionShape<T>&, const HeadRange&, const Columns<T>& out, Bump<T>&, const Work& work) {
  work(out);
}

template <class T, class Work>
void fill_result(const AttentionShape<T>& shape, const HeadRange& heads, const Columns<Bf16>& out, Bump<T>& memory,
                 const Work& work) {
  const RowSpan rows = shape.query.sequences[heads.sequence];
  const Columns<T> result = scratch_columns(rows, heads, shape.value_width, memory);
  work(result);
  const Index first = heads.first * shape.value_width, cols = heads.last * shape.value_width - first;
  for (Index i = rows.offset; i < rows.offset + rows.length; ++i)
    bf16::round_row(cols, result.data + i * result.stride + first, out.data + i * out.stride + first);
}

/// The range of saved weights of some heads of a sequence: `size` weights, starting at number `first`.
template <class T>
struct SavedRange {
  Index first, size;

  SavedRange(const AttentionShape<T>& shape, const HeadRange& heads) {
    const Head<T> from(shape, heads.sequence, heads.first);
    first = from.cells;
    size = (heads.last - heads.first) * from.keys.length * padded<T>(from.rows.length);
  }
};

/// Saves a range of `from` in bf16. A sign bit marks weights that dropout drops.
template <class T>
void save_weights(const AttentionShape<T>& shape, const SavedRange<T>& range, const T* from, Bf16* to) {
  bf16::round_row(range.size, from + range.first, to + range.first);
  if (shape.keep.empty()) return;
  const Index end = range.first + range.size;
#pragma omp simd
  for (Index i = range.first; i < end; ++i)
    to[i].bits = static_cast<std::uint16_t>(to[i].bits | (shape.keep[static_cast<std::size_t>(i)] ? 0 : 0x8000));
}

/// Copies saved weights from bf16, and their mask to `keep`. Divides each query's weights by their sum: rounding moved
/// the sum away from 1, and softmax's derivative would turn this difference into a gradient.
template <class T>
void read_weights(const AttentionShape<T>& shape, const HeadRange& heads, const Bf16* from, T* to, std::uint8_t* keep) {
  constexpr Index L = Lanes<T>::count;
  for (Index h = heads.first; h < heads.last; ++h) {
    const Head<T> head(shape, heads.sequence, h);
    const Reach<T> reach{.rows = head.rows.length, .keys = head.keys.length, .causal = shape.causal};
    const Index width = padded<T>(reach.rows), end = head.cells + reach.keys * width;
#pragma omp simd
    for (Index i = head.cells; i < end; ++i) {
      to[i] = static_cast<T>(Bf16{static_cast<std::uint16_t>(from[i].bits & 0x7FFF)}.widened());
      keep[i] = from[i].bits < 0x8000;
    }
    for (Index lane = 0; lane < width; lane += L) {
      T* const weights = to + head.cells + lane;
      const Index keys = reach.keys_of_lane(lane);
      typename Lanes<T>::Vector sum{};
      for (Index j = 0; j < keys; ++j) sum += load(weights + j * width);
      for (Index l = 0; l < L; ++l) sum[l] = sum[l] > 0 ? 1 / sum[l] : T{0};  // the sum is 0 if all keys are blocked
      for (Index j = 0; j < keys; ++j) store(weights + j * width, load(weights + j * width) * sum);
    }
  }
}

/// Calls work(heads, scratch) for all heads of all sequences outside tiles.
template <class T, class Work>
void for_heads(const AttentionShape<T>& shape, Pass pass, T* scratch, const Work& work) {
  Index step = shape.heads;  // smallest number of heads in a piece
  for (Index b = 0; b < shape.query.sequence_count(); ++b) step = std::min(step, heads_together(shape, b, pass));
  const Index pieces = shape.heads / step, scratch_size = scratch_size_of_thread(shape);
  parallel_for(shape.query.sequence_count() * pieces, [&](Index piece) {
    const Index b = piece / pieces, first = piece % pieces * step, together = heads_together(shape, b, pass);
    if (shape.in_tiles(b) || first % together != 0) return;
    work(HeadRange{b, first, first + together}, scratch + thread_index() * scratch_size);
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
    if (in_tiles(b)) size = std::max(size, widened_size(*this, b, heads) + tiles_scratch_size(*this, b));
  return size;
}

template <class T, class E>
void attention_forward(const AttentionShape<T>& shape, const AttentionColumns<const E>& x,
                       const AttentionSaved<T>& saved, const Columns<E>& out, T* scratch) {
  ProductLog::note({.m = shape.scores(), .n = 1, .k = shape.key_width + shape.value_width, .per_head = true});
  zero_gaps(shape.query, out, shape.heads * shape.value_width);
  for_heads(shape, Pass::forward, scratch, [&](const HeadRange& heads, T* own) {
    const bool few = shape.path(heads.sequence) == AttentionPath::few;
    Bump<T> memory{own};
    const AttentionColumns<const T> wide = widened(shape, x, heads, memory);
    const SavedRange<T> kept(shape, heads);
    T* const weights = saved.rounded ? memory.take(1, kept.size) - kept.first : saved.weights;
    fill_result(shape, heads, out, memory, [&](const Columns<T>& result) {
      (few ? few_forward<T> : whole_forward<T>)(shape, heads, wide, weights, result, memory.next);
    });
    if (saved.rounded) save_weights(shape, kept, weights, saved.rounded);
  });
  for (Index b = 0; b < shape.query.sequence_count(); ++b) {
    if (!shape.in_tiles(b)) continue;
    const HeadRange all{b, 0, shape.heads};
    Bump<T> memory{scratch};
    const AttentionColumns<const T> wide = widened(shape, x, all, memory);
    fill_result(shape, all, out, memory,
                [&](const Columns<T>& result) { tiles_forward(shape, b, wide, saved.log_sums, result, memory.next); });
  }
}

template <class T, class E>
void attention_backward(const AttentionShape<T>& shape, const AttentionColumns<const E>& x,
                        const AttentionSaved<T>& saved, const Columns<const E>& out, const Columns<const T>& dout,
                        const AttentionColumns<T>& dx, T* scratch) {
  ProductLog::note({.m = shape.scores(), .n = 2, .k = shape.key_width + shape.value_width, .per_head = true});
  zero_gaps(shape.query, dx.q, shape.heads * shape.key_width);
  zero_gaps(shape.key, dx.k, shape.key_heads * shape.key_width);
  zero_gaps(shape.key, dx.v, shape.key_heads * shape.value_width);
  for_heads(shape, Pass::backward, scratch, [&](const HeadRange& heads, T* own) {
    Bump<T> memory{own};
    const AttentionColumns<const T> wide = widened(shape, x, heads, memory);
    const SavedRange<T> kept(shape, heads);
    if (!saved.rounded) return whole_backward(shape, heads, wide, saved.weights, dout, dx, memory.next);
    T* const weights = memory.take(1, kept.size) - kept.first;
    auto* const keep = reinterpret_cast<std::uint8_t*>(memory.take(1, mask_size<T>(kept.size))) - kept.first;
    read_weights(shape, heads, saved.rounded, weights, keep);
    AttentionShape<T> with_mask = shape;
    if (shape.dropout) with_mask.keep = {keep, static_cast<std::size_t>(kept.first + kept.size)};
    whole_backward(with_mask, heads, wide, weights, dout, dx, memory.next);
  });
  for (Index b = 0; b < shape.query.sequence_count(); ++b) {
    if (!shape.in_tiles(b)) continue;
    const HeadRange all{b, 0, shape.heads};
    Bump<T> memory{scratch};
    const AttentionColumns<const T> wide = widened(shape, x, all, memory);
    const Columns<const T> result = widened<T>(out, shape.query.sequences[b], all, shape.value_width, memory);
    tiles_backward(shape, b, wide, saved.log_sums, result, dout, dx, memory.next);
  }
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
