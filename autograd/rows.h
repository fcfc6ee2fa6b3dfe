#pragma once

#include <cstdint>
#include <span>

#include "autograd/shape.h"

namespace glossa {

/// A sentence in a matrix of token rows: its rows are offset, ..., offset + length - 1.
struct RowSpan {
  Index offset = 0;
  Index length = 0;
};

/// How the sentences of a batch lie in a [N, D] matrix of token rows. Packed: one after the other, without gaps.
/// Padded [B, T]: sentence b starts at row b * T, the rest of its box are gap rows: they hold finite numbers that no
/// result depends on, and no gradient flows into or out of them. Sentences come in the order of their rows and do not
/// overlap; only keys that need no gradient may (hypotheses that read one source). `sentence_ids` (one a sentence, or
/// none) number the sentences in the whole corpus: they key random numbers, so that a sentence draws the same dropout
/// mask in any batch and any layout. Spans are borrowed from the caller.
struct RowLayout {
  Index rows = 0;
  std::span<const RowSpan> sentences{};
  std::span<const std::uint32_t> sentence_ids{};  // empty: numbered from 0
  Index first_position = 0;                       // position of each sentence's first row (decoding goes on from there)

  Index sentence_count() const { return static_cast<Index>(sentences.size()); }
  std::uint32_t sentence_id(Index i) const {
    return sentence_ids.empty() ? static_cast<std::uint32_t>(i) : sentence_ids[i];
  }
};

/// Throws `[op]` unless `matrix` is [N, D] with the rows of `layout`, whose sentences lie within it in order and apart,
/// with a number for each or for none. `may_overlap`: in any order, and on the same rows.
void check_layout(const char* op, const RowLayout& layout, const Shape& matrix, bool may_overlap = false);

}  // namespace glossa
