#pragma once

#include <cstdint>
#include <span>

#include "base/index.h"

namespace glossa {

/// A sequence in a matrix of token rows: it occupies rows offset, ..., offset + length - 1.
struct RowSpan {
  Index offset = 0;
  Index length = 0;

  friend bool operator==(const RowSpan&, const RowSpan&) = default;
};

/// Placement of a batch's sequences in an [N, D] matrix of token rows. In the packed layout, sequences follow each
/// other without gaps. In the padded layout [B, T], sequence b starts at row b * T, and its remaining rows up to T are
/// gap rows. Gap rows hold finite numbers that do not affect results, and no gradient flows into or out of them.
/// Sequences come in row order and do not overlap. One exception: attention keys that need no gradient may share rows
/// and come in any order, for example if several hypotheses read one source. `sequence_ids` (one per sequence, or
/// empty) are the sequences' numbers in the corpus. Random numbers depend on these ids: a sequence draws the same
/// dropout mask in any batch and layout. The caller owns the spans' memory.
struct RowLayout {
  Index rows = 0;
  std::span<const RowSpan> sequences{};
  std::span<const std::uint32_t> sequence_ids{};  // id of each sequence; if empty, the ids are 0, 1, 2, ...
  Index first_position = 0;                       // position of each sequence's first row; above 0 while decoding

  Index sequence_count() const { return static_cast<Index>(sequences.size()); }
  std::uint32_t sequence_id(Index i) const {
    return sequence_ids.empty() ? static_cast<std::uint32_t>(i) : sequence_ids[i];
  }
};

}  // namespace glossa
