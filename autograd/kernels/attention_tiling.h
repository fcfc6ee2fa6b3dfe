#pragma once

#include <algorithm>

#include "autograd/kernels/attention_head.h"
#include "autograd/kernels/softmax_lanes.h"
#include "autograd/parallel.h"

/// Attention whose weights are never in memory together (Dao et al. 2022). Queries go by tiles, each past all the keys
/// it sees, tile by tile. Tiles of queries that lie side by side are a stripe: eight heads draw their dropout masks
/// from one counter, so the masks of a stripe are drawn for all heads at once, and then the heads are computed.
namespace glossa::kernels {

inline constexpr Index query_tile = 64, key_tile = 64, stripe = 4 * query_tile;

/// How the work of one sequence is cut, and the scratch for it: what threads share, then what each has of its own.
template <class T>
struct Tiling {
  const AttentionShape<T>& shape;
  Index sequence, rows, keys;
  Index parts,
      keys_of_part;  // on the way back a piece is a part of the keys of a head: eight at least, for few heads too

  Tiling(const AttentionShape<T>& shape, Index b)
      : shape(shape), sequence(b), rows(shape.query.sequences[b].length), keys(shape.key.sequences[b].length) {
    const Index tiles = (keys + key_tile - 1) / key_tile, wanted = (8 + shape.heads - 1) / shape.heads;
    keys_of_part = (tiles + wanted - 1) / wanted * key_tile;
    parts = (keys + keys_of_part - 1) / keys_of_part;
  }

  /// How many keys the queries before `end` see together.
  Index keys_before(Index end) const { return shape.causal ? std::min(keys, end) : keys; }

  /// What the queries `tile` see of the tile of keys from `first`, which ends at `end` at the latest.
  Reach<T> reach(RowSpan tile, Index first, Index end) const {
    return {.rows = tile.length,
            .keys = std::min(key_tile, end - first),
            .causal = shape.causal,
            .ahead = tile.offset - first};
  }

  /// Elements that hold the dropout masks of a stripe, a byte each.
  Index mask_size() const {
    return shape.dropout ? (shape.heads * keys * stripe + Index{sizeof(T)} - 1) / Index{sizeof(T)} : 0;
  }

  /// Elements that hold dq of a stripe, from each part of the keys.
  Index partial_size() const { return shape.heads * parts * stripe * padded<T>(shape.key_width); }

  Index scratch_size_of_thread() const {
    const Index k = padded<T>(shape.key_width), v = padded<T>(shape.value_width);
    // The most that is taken at a time: q and dy, as they are and turned over, a panel of keys or values and a result,
    // two score matrices, and what there is one of a query.
    return 2 * query_tile * (k + v) + 2 * key_tile * std::max(k, v) + query_tile * v + 2 * key_tile * query_tile +
           4 * query_tile;
  }
};

/// The dropout masks of the weights of a stripe: [heads, keys, stripe]. Without dropout there are none.
template <class T>
class StripeMask {
 public:
  /// Draws those of the queries [first_row, end), for the keys that they see. `memory` is mask_size() long.
  StripeMask(const Tiling<T>& tiling, Index first_row, Index end, T* memory)
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

  /// Of key j of a head, from query i on; null: nothing is dropped.
  const std::uint8_t* of(Index head, Index j, Index i) const {
    return mask_ ? mask_ + (head * keys_ + j) * stripe + i - first_row_ : nullptr;
  }

 private:
  std::uint8_t* mask_ = nullptr;
  Index first_row_, keys_;
};

/// Calls work(first, end, mask) for the stripes of queries, one after the other: all threads work on one.
template <class T, class Work>
void for_stripes(const Tiling<T>& tiling, T* mask_memory, const Work& work) {
  for (Index first = 0; first < tiling.rows; first += stripe) {
    const Index end = std::min(first + stripe, tiling.rows);
    work(first, end, StripeMask<T>(tiling, first, end, mask_memory));
  }
}

/// What is computed of a score matrix, but blocked, becomes `instead`.
template <class T>
void block_scores(const Reach<T>& reach, T instead, T* score) {
  const Index width = padded<T>(reach.rows);
  for (Index j = 0; j < reach.keys && reach.cuts(); ++j)
    std::fill(score + j * width + reach.first_computed(j), score + j * width + reach.first_query(j), instead);
}

/// [rows, cols] times a factor, as a panel.
template <class T>
Panel<T> scaled_panel(Index rows, Index cols, const T* from, Index stride, T factor, Bump<T>& memory) {
  const Index width = padded<T>(cols);
  T* const to = memory.take(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < width; ++j) to[i * width + j] = j < cols ? from[i * stride + j] * factor : T{0};
  return {to, width};
}

}  // namespace glossa::kernels
