#pragma once

#include <algorithm>

#include "autograd/kernels/attention_head.h"
#include "autograd/kernels/softmax_lanes.h"
#include "base/parallel.h"

/// Attention that never holds all weights in memory at once (Dao et al. 2022). Each tile of queries visits the keys
/// that it sees, tile by tile. Adjacent tiles of queries form a stripe. Eight heads draw their dropout masks from one
/// Philox counter. A stripe's masks are therefore drawn for all heads before any head is computed.
namespace glossa::kernels {

inline constexpr Index query_tile = 64, key_tile = 64, stripe = 4 * query_tile;

/// The division of one sequence's work into pieces, and the layout of their scratch. Scratch shared by all threads
/// comes first, then the scratch of each thread. In the derivative, a piece covers one part of the keys for the heads
/// that share them. If there are enough keys, there are at least eight pieces, even with few heads of keys.
template <class T>
struct AttentionTiling {
  const AttentionShape<T>& shape;
  Index sequence, rows, keys, parts, keys_of_part;  // `sequence` is an index, the others are counts

  AttentionTiling(const AttentionShape<T>& shape, Index b)
      : shape(shape), sequence(b), rows(shape.query.sequences[b].length), keys(shape.key.sequences[b].length) {
    const Index tiles = (keys + key_tile - 1) / key_tile, wanted = (8 + shape.key_heads - 1) / shape.key_heads;
    keys_of_part = (tiles + wanted - 1) / wanted * key_tile;
    parts = (keys + keys_of_part - 1) / keys_of_part;
  }

  /// Number of keys seen by at least one query before `end`.
  Index keys_before(Index end) const { return shape.causal ? std::min(keys, end) : keys; }

  /// Returns the keys that the queries `tile` see in one tile of keys, which begins at `first` and ends at `end` or
  /// earlier.
  Reach<T> reach(RowSpan tile, Index first, Index end) const {
    return {.rows = tile.length,
            .keys = std::min(key_tile, end - first),
            .causal = shape.causal,
            .ahead = tile.offset - first};
  }

  /// Size of a stripe's dropout masks in elements of T. A mask takes one byte per weight.
  Index mask_size() const {
    return shape.dropout ? (shape.heads * keys * stripe + Index{sizeof(T)} - 1) / Index{sizeof(T)} : 0;
  }

  /// Size of a stripe's dq in elements, with one copy of dq for each part of the keys.
  Index partial_size() const { return shape.heads * parts * stripe * padded<T>(shape.key_width); }

  Index scratch_size_of_thread() const {
    const Index k = padded<T>(shape.key_width), v = padded<T>(shape.value_width);
    // Upper bound on the memory needed at once: q and dy, both also transposed; a panel of keys or values; a result;
    // two score matrices; four numbers per query.
    return 2 * query_tile * (k + v) + 2 * key_tile * std::max(k, v) + query_tile * v + 2 * key_tile * query_tile +
           4 * query_tile;
  }
};

/// The dropout masks of a stripe's weights: [heads, keys, stripe]; empty without dropout.
template <class T>
class StripeMask {
 public:
  /// Draws the masks of the queries [first_row, end) for the keys that they see. `memory` has mask_size() elements.
  StripeMask(const AttentionTiling<T>& tiling, Index first_row, Index end, T* memory)
      : first_row_(first_row), keys_(tiling.keys_before(end)) {
    const AttentionShape<T>& shape = tiling.shape;
    if (!shape.dropout) return;
    mask_ = reinterpret_cast<std::uint8_t*>(memory);
    parallel_ranges(keys_, key_tile, [&](Index first_key, Index end_key) {
      attention_dropout_block(mask_ + first_key * stripe, keys_ * stripe,
                              {.heads = shape.heads,
                               .first_key = first_key,
                               .keys = end_key - first_key,
                               .first_row = first_row,
                               .rows = stripe},
                              *shape.dropout, shape.query.sequence_id(tiling.sequence), shape.query.first_position);
    });
  }

  /// Mask of a head's key j, starting at query i; null without dropout.
  const std::uint8_t* of(Index head, Index j, Index i) const {
    return mask_ ? mask_ + (head * keys_ + j) * stripe + i - first_row_ : nullptr;
  }

 private:
  std::uint8_t* mask_ = nullptr;
  Index first_row_, keys_;
};

/// Calls work(first, end, mask) for each stripe of queries in turn, so that all threads work on the same stripe.
template <class T, class Work>
void for_stripes(const AttentionTiling<T>& tiling, T* mask_memory, const Work& work) {
  for (Index first = 0; first < tiling.rows; first += stripe) {
    const Index end = std::min(first + stripe, tiling.rows);
    work(first, end, StripeMask<T>(tiling, first, end, mask_memory));
  }
}

/// Adds biases to all computed scores, [keys, padded(queries)].
template <class T>
void add_biases(const Reach<T>& reach, const DistanceBias<T>& bias, T* score) {
  const Index width = padded<T>(reach.rows);
  for (Index j = 0; j < reach.keys && bias; ++j)
    if (const Index i = reach.first_computed(j); i < width) bias.add(j, i, width - i, score + j * width + i);
}

/// Writes `instead` to all scores that are computed but blocked.
template <class T>
void block_scores(const Reach<T>& reach, T instead, T* score) {
  const Index width = padded<T>(reach.rows);
  for (Index j = 0; j < reach.keys && reach.cuts(); ++j)
    std::fill(score + j * width + reach.first_computed(j), score + j * width + reach.first_query(j), instead);
}

}  // namespace glossa::kernels
