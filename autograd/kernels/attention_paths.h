#pragma once

#include "autograd/kernels/attention.h"

/// The paths of attention (see AttentionPath). For each sequence, attention.cpp calls the functions of one path.
/// Scratch sizes are in elements.
namespace glossa::kernels {

enum class Pass { forward, backward };

/// Number of heads of sequence b in one piece of work, for the paths `few` and `whole`. From 32 sequences on, all heads
/// are in one piece, because their columns are adjacent in memory. Fewer sequences need smaller pieces to occupy the
/// threads: one head, or one group in two cases. In the derivative, a group's heads add to the same columns of dk and
/// dv. On the path `few`, they share one pass over their keys and values.
template <class T>
Index heads_together(const AttentionShape<T>& shape, Index b, Pass pass) {
  if (shape.query.sequence_count() >= 32) return shape.heads;
  return pass == Pass::backward || shape.path(b) == AttentionPath::few ? shape.group_size() : 1;
}

/// Heads [first, last) of one sequence: a single head, or whole groups that share keys and values.
struct HeadRange {
  Index sequence, first, last;

  /// The heads of keys and values that these heads use; `group_size` heads share one.
  HeadRange of_keys(Index group_size) const {
    return {sequence, first / group_size, (last + group_size - 1) / group_size};
  }
};

// ---- few (attention_few.cpp): one thread, whole groups; its derivative is whole_backward ----

template <class T>
Index few_scratch_size(const AttentionShape<T>& shape, Index b) {
  return shape.key.sequences[b].length * padded<T>(shape.heads);
}

template <class T>
void few_forward(const AttentionShape<T>& shape, const HeadRange& heads, const AttentionColumns<const T>& x, T* weights,
                 const Columns<T>& y, T* scratch);

// ---- whole (attention_whole.cpp): one thread ----

template <class T>
Index whole_scratch_size(const AttentionShape<T>& shape, Index b);

template <class T>
void whole_forward(const AttentionShape<T>& shape, const HeadRange& heads, const AttentionColumns<const T>& x,
                   T* weights, const Columns<T>& y, T* scratch);

template <class T>
void whole_backward(const AttentionShape<T>& shape, const HeadRange& heads, const AttentionColumns<const T>& x,
                    const T* weights, const Columns<const T>& dy, const AttentionColumns<T>& dx, T* scratch);

// ---- tiles (attention_tiles_*.cpp): all threads, all heads of sequence b ----

template <class T>
Index tiles_scratch_size(const AttentionShape<T>& shape, Index b);

template <class T>
void tiles_forward(const AttentionShape<T>& shape, Index b, const AttentionColumns<const T>& x, T* log_sums,
                   const Columns<T>& y, T* scratch);

template <class T>
void tiles_backward(const AttentionShape<T>& shape, Index b, const AttentionColumns<const T>& x, const T* log_sums,
                    const Columns<const T>& y, const Columns<const T>& dy, const AttentionColumns<T>& dx, T* scratch);

// ---- a piece of work on the path of its sequence: some heads or, in tiles, all heads ----

template <class T>
void forward_piece(const AttentionShape<T>& shape, const HeadRange& heads, const AttentionColumns<const T>& x,
                   const AttentionSaved<T>& saved, const Columns<T>& y, T* scratch) {
  switch (shape.path(heads.sequence)) {
    case AttentionPath::few:
      return few_forward(shape, heads, x, saved.weights, y, scratch);
    case AttentionPath::whole:
      return whole_forward(shape, heads, x, saved.weights, y, scratch);
    case AttentionPath::tiles:
      return tiles_forward(shape, heads.sequence, x, saved.log_sums, y, scratch);
  }
}

template <class T>
void backward_piece(const AttentionShape<T>& shape, const HeadRange& heads, const AttentionColumns<const T>& x,
                    const AttentionSaved<T>& saved, const Columns<const T>& y, const Columns<const T>& dy,
                    const AttentionColumns<T>& dx, T* scratch) {
  if (shape.in_tiles(heads.sequence))
    tiles_backward(shape, heads.sequence, x, saved.log_sums, y, dy, dx, scratch);
  else
    whole_backward(shape, heads, x, saved.weights, dy, dx, scratch);
}

}  // namespace glossa::kernels
