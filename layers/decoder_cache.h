#pragma once

#include <span>
#include <vector>

#include "autograd/arena.h"
#include "autograd/rows.h"
#include "autograd/tensor.h"

namespace glossa {

/// One layer's state between tokens. Shapes: R target rows, Ns source rows, H heads, G heads of keys and values, K
/// columns per head.
template <class T>
struct LayerCache {
  std::span<T> past{};    ///< keys and values of the target tokens so far, in DecoderCache's slots
  std::span<T> memory{};  ///< keys and values of the source, [Ns, 2 G K], projected once
};

/// Target rows, and the cache rows to which they attend in this step.
struct CacheLayout {
  RowLayout query;  ///< the target rows, each a sequence of length 1 at the current position
  RowLayout past, memory;
  RowLayout readers;  ///< for each sequence of `memory`, the adjacent target rows that read it
};

/// Key-value cache of a decoder, or of a causal encoder: R target rows (hypotheses) advance together, one token per
/// step. Each row's keys and values occupy one slot of a buffer and stay there when rows are reordered. At first, a
/// slot has room for a target somewhat longer than the longest source. All slots double in size when they are full.
/// Slots of ended rows are reused. Memory use grows with the actual rows and tokens, not with their maximum numbers.
/// The cache keeps its memory between steps and reuses it from batch to batch.
template <class T>
class DecoderCache {
 public:
  /// Starts an empty cache for `rows` targets of at most `capacity` tokens each. Each row reads one sequence of
  /// `memory`: row r reads sequence r * memory.sequence_count() / rows. Several hypotheses can therefore share one
  /// source without a copy. A causal encoder has no source, and thus no `memory`.
  void start(Index layers, Index width, Index rows, Index capacity,
             const RowLayout& memory = {.rows = 0, .sequences = {&nothing, 1}});

  Index rows() const { return static_cast<Index>(slots_.size()); }
  Index position() const { return position_; }  ///< number of tokens so far
  Index width() const { return width_; }
  LayerCache<T>& layer(Index i);

  /// Makes new row r the continuation of old row survivors[r]. A row may move, end or be repeated; only repeated rows
  /// are copied.
  void select(std::span<const Index> survivors);

  /// Appends this step's keys and values, the columns of qkv [R, (H + 2 G) K] from H K on, to the past of `layer`.
  void append(LayerCache<T>& layer, const Tensor<const T>& qkv) const;

  /// Layout of the current step. The step's own position counts as past.
  CacheLayout layout();

  /// The target rows, each a sequence of length 1 at the current position.
  RowLayout query_layout();

  void advance();

 private:
  struct Copy {
    Index from, to;  // slot numbers
  };
  static constexpr RowSpan nothing{};

  Index free_slot();
  void make_room(Index count);
  void copy_slots();
  void grow(Index room);
  Index slot_size() const { return room_ * 2 * width_; }

  Index width_ = 0, capacity_ = 0, room_ = 0, position_ = 0, memory_rows_ = 0;
  Arena arena_;
  std::vector<LayerCache<T>> layers_;
  Index slot_count_ = 0;
  std::vector<Index> slots_, old_slots_, free_slots_;  // slots of rows; slots of rows before `select`; unused slots
  std::vector<bool> is_taken_;                         // true for each old slot in which a row continues
  std::vector<Copy> copies_;                           // copies that are still to be made
  std::vector<RowSpan> memory_spans_, past_spans_, query_spans_, old_spans_;
  std::vector<RowSpan> read_spans_, reader_spans_;
};

}  // namespace glossa
