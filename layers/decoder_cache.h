#pragma once

#include <span>
#include <vector>

#include "autograd/arena.h"
#include "autograd/rows.h"
#include "autograd/tensor.h"

namespace glossa {

/// What one layer remembers between tokens.
template <class T>
struct LayerCache {
  std::span<T> past{};    ///< keys and values of the target so far, [slots * room, 2 H K]; there may be more behind
  std::span<T> memory{};  ///< keys and values of the source, [Ns, 2 H K]: projected once
};

/// Which rows of the caches each target row looks at in this step.
struct CacheLayout {
  RowLayout query;  ///< the rows themselves, one a sequence, at the step's position
  RowLayout past, memory;
  RowLayout readers;  ///< beside `memory`: the rows that read a sequence stand together and count as one query
};

/// Key-value cache of a decoder, or of a causal encoder: R target rows (hypotheses) advance together, one token a step.
/// What a row remembers lies in a slot and stays there when rows change places. Slots have room for a target somewhat
/// longer than the longest source at first, and for twice as many tokens whenever those are there, in the memory of
/// rows that have ended as far as it goes: it takes what rows need together, not the most rows times the most tokens.
/// The memory outlives the steps and is reused from batch to batch.
template <class T>
class DecoderCache {
 public:
  /// Empty cache for `rows` targets of at most `capacity` tokens that read no memory: a causal stack by itself.
  void start(Index layers, Index width, Index rows, Index capacity);

  /// Empty cache for `rows` targets of at most `capacity` tokens, each reading one of the `memory` sequences: row r
  /// reads sequence r * memory.sequence_count() / rows, so several hypotheses share one source without a copy.
  void start(Index layers, Index width, Index rows, Index capacity, const RowLayout& memory);

  Index rows() const { return static_cast<Index>(slots_.size()); }
  Index position() const { return position_; }  ///< tokens so far
  Index width() const { return width_; }
  LayerCache<T>& layer(Index i);

  /// Row r goes on from what was row survivors[r]. Rows may change places, end, or repeat, which alone is copied.
  void select(std::span<const Index> survivors);

  /// Writes keys and values of this step, columns H K to 3 H K of qkv [R, 3 H K], behind the past of `layer`.
  void append(LayerCache<T>& layer, const Tensor<const T>& qkv) const;

  /// Spans for the step in progress: its own position counts as past.
  CacheLayout layout();

  /// One row a sequence, at the step's position.
  RowLayout query_layout();

  void advance();

 private:
  struct Copy {
    Index from, to;  // slots
  };

  Index free_slot();
  void make_room(Index count);
  void copy_slots();
  void grow(Index room);
  Index slot_size() const { return room_ * 2 * width_; }

  Index width_ = 0, capacity_ = 0, room_ = 0, position_ = 0, memory_rows_ = 0;
  Arena arena_;
  std::vector<LayerCache<T>> layers_;
  Index slot_count_ = 0;
  std::vector<Index> slots_, old_slots_, free_slots_;  // one a row, one a row before `select`, those of no row
  std::vector<bool> is_taken_;                         // of old_slots_, which one of the rows goes on with
  std::vector<Copy> copies_;                           // to be made
  std::vector<RowSpan> memory_spans_, past_spans_, query_spans_, old_spans_;
  std::vector<RowSpan> read_spans_, reader_spans_;
};

}  // namespace glossa
