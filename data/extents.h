#pragma once

#include <algorithm>
#include <cstdint>

#include "data/pair_store.h"

namespace glossa {

/// Layout of a batch's sentences in its rows. Packed: back to back. Padded: a [B, S] box, where S is the length of the
/// longest sentence; padding follows every shorter sentence.
enum class Layout { packed, padded };

/// Lengths of a side's sentences.
struct Extent {
  int longest = 0;
  std::int64_t tokens = 0;

  bool operator==(const Extent&) const = default;
  void add(int length, std::int64_t count = 1) {
    longest = std::max(longest, length);
    tokens += count * length;
  }

  /// Rows that the sentences take.
  std::int64_t rows(std::int64_t sentences, Layout layout) const {
    return layout == Layout::packed ? tokens : sentences * longest;
  }
};

/// Lengths of a batch's sentences.
struct Extents {
  std::int64_t sentences = 0;
  Extent source, target;
  std::int64_t squares = 0;  // sum of the squared lengths: the query-key pairs of self-attention

  bool operator==(const Extents&) const = default;
  void add(std::int64_t source_length, std::int64_t target_length, std::int64_t count = 1) {
    sentences += count;
    source.add(static_cast<int>(source_length), count);
    target.add(static_cast<int>(target_length), count);
    squares += count * (source_length * source_length + target_length * target_length);
  }
  void add(const IdPair& pair) { add(pair.source_length(), pair.target_length()); }

  /// Rows of both sides.
  std::int64_t rows(Layout layout) const { return source.rows(sentences, layout) + target.rows(sentences, layout); }
};

}  // namespace glossa
