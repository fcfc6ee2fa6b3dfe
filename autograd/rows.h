#pragma once

#include <cstdint>
#include <span>

#include "autograd/shape.h"

namespace glossa {

/// A sequence in a matrix of token rows: rows offset, ..., offset + length - 1.
struct RowSpan {
  Index offset = 0;
  Index length = 0;

  friend bool operator==(const RowSpan&, const RowSpan&) = default;
};

/// Placement of a batch's sequences in a [N, D] matrix of token rows. Packed: one after another, without gaps. Padded
/// [B, T]: sequence b starts at row b * T, and the rest of its box are gap rows. These hold finite numbers that no
/// result depends on, and no gradient flows into or out of them. Sequences come in row order and do not overlap, except
/// keys that need no gradient (hypotheses that read one source). `sequence_ids` (one per sequence, or none) number the
/// sequences within the whole corpus. They key random numbers, so a sequence draws the same dropout mask in any batch
/// and layout. Spans are borrowed from the caller.
struct RowLayout {
  Index rows = 0;
  std::span<const RowSpan> sequences{};
  std::span<const std::uint32_t> sequence_ids{};  // empty: numbered from 0
  Index first_position = 0;                       // position of each sequence's first row (decoding continues there)

  Index sequence_count() const { return static_cast<Index>(sequences.size()); }
  std::uint32_t sequence_id(Index i) const {
    return sequence_ids.empty() ? static_cast<std::uint32_t>(i) : sequence_ids[i];
  }
};

/// Throws `[op]` unless `matrix` is [N, D] with the rows of `layout`, whose sequences (at least one, if there are rows)
/// lie within it, ordered and disjoint, with an id for each or for none. `may_overlap`: in any order, rows may be
/// shared.
void check_layout(const char* op, const RowLayout& layout, const Shape& matrix, bool may_overlap = false);

}  // namespace glossa
