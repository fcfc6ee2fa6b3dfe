#pragma once

#include "autograd/kernels/attention_head.h"
#include "autograd/kernels/attention_paths.h"
#include "autograd/kernels/bf16/round.h"
#include "autograd/kernels/pack.h"

/// A piece of attention with q, k, v and the result in bf16, for attention.cpp. Each piece of work widens its operands
/// to T in scratch, computes in T, and rounds its result. Outside tiles, the weights are saved in bf16, unless the
/// caller requests them.
namespace glossa::kernels {

/// Scratch size in elements for a mask of `count` bytes.
template <class T>
constexpr Index mask_size(Index count) {
  return padded<T>((count + Index{sizeof(T)} - 1) / Index{sizeof(T)});
}

/// A view of scratch that holds some heads' columns in one sequence's rows. The paths address it by positions in the
/// whole matrix.
template <class T>
Columns<T> scratch_columns(const RowSpan& rows, const HeadRange& heads, Index width, Bump<T>& memory) {
  const Index cols = (heads.last - heads.first) * width, stride = padded<T>(cols);
  return {memory.take(rows.length, cols) - rows.offset * stride - heads.first * width, stride};
}

/// Copies some heads' columns of `x` to scratch, in T.
template <class T>
Columns<const T> widened(const Columns<const Bf16>& x, const RowSpan& rows, const HeadRange& heads, Index width,
                         Bump<T>& memory) {
  const Columns<T> copy = scratch_columns(rows, heads, width, memory);
  const Index first = heads.first * width, cols = heads.last * width - first;
  for (Index i = rows.offset; i < rows.offset + rows.length; ++i)
    widen(cols, x.data + i * x.stride + first, copy.data + i * copy.stride + first);
  return {copy.data, copy.stride};
}

template <class T>
AttentionColumns<const T> widened(const AttentionShape<T>& shape, const AttentionColumns<const Bf16>& x,
                                  const HeadRange& heads, Bump<T>& memory) {
  const RowSpan rows = shape.query.sequences[heads.sequence], keys = shape.key.sequences[heads.sequence];
  const HeadRange key_heads = heads.of_keys(shape.group_size());
  return {widened<T>(x.q, rows, heads, shape.key_width, memory),
          widened<T>(x.k, keys, key_heads, shape.key_width, memory),
          widened<T>(x.v, keys, key_heads, shape.value_width, memory)};
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
    const Reach<T> reach = reach_of(shape, head);
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

template <class T>
void forward_piece(const AttentionShape<T>& shape, const HeadRange& heads, const AttentionColumns<const Bf16>& x,
                   const AttentionSaved<T>& saved, const Columns<Bf16>& y, T* scratch) {
  const RowSpan rows = shape.query.sequences[heads.sequence];
  const SavedRange<T> kept(shape, heads);
  const bool saves = saved.rounded && !shape.in_tiles(heads.sequence);
  Bump<T> memory{scratch};
  const AttentionColumns<const T> wide = widened(shape, x, heads, memory);
  AttentionSaved<T> in_t = saved;
  if (saves) in_t.weights = memory.take(1, kept.size) - kept.first;
  const Columns<T> result = scratch_columns(rows, heads, shape.value_width, memory);
  forward_piece(shape, heads, wide, in_t, result, memory.next);
  const Index first = heads.first * shape.value_width, cols = heads.last * shape.value_width - first;
  for (Index i = rows.offset; i < rows.offset + rows.length; ++i)
    bf16::round_row(cols, result.data + i * result.stride + first, y.data + i * y.stride + first);
  if (saves) save_weights(shape, kept, in_t.weights, saved.rounded);
}

template <class T>
void backward_piece(const AttentionShape<T>& shape, const HeadRange& heads, const AttentionColumns<const Bf16>& x,
                    const AttentionSaved<T>& saved, const Columns<const Bf16>& y, const Columns<const T>& dy,
                    const AttentionColumns<T>& dx, T* scratch) {
  Bump<T> memory{scratch};
  const AttentionColumns<const T> wide = widened(shape, x, heads, memory);
  AttentionShape<T> in_t = shape;
  AttentionSaved<T> saved_in_t = saved;
  Columns<const T> result;  // only tiles read it
  if (shape.in_tiles(heads.sequence)) {
    result = widened<T>(y, shape.query.sequences[heads.sequence], heads, shape.value_width, memory);
  } else if (saved.rounded) {
    const SavedRange<T> kept(shape, heads);
    T* const weights = saved_in_t.weights = memory.take(1, kept.size) - kept.first;
    auto* const keep = reinterpret_cast<std::uint8_t*>(memory.take(1, mask_size<T>(kept.size))) - kept.first;
    read_weights(shape, heads, saved.rounded, weights, keep);
    if (shape.dropout) in_t.keep = {keep, static_cast<std::size_t>(kept.first + kept.size)};
  }
  backward_piece(in_t, heads, wide, saved_in_t, result, dy, dx, memory.next);
}

}  // namespace glossa::kernels
