#pragma once

#include <cstdint>
#include <vector>

#include "autograd/context.h"
#include "autograd/rows.h"
#include "python/binding/arguments.h"

namespace glossa::python {

/// Python's `glossa.Rows`: the sequences of a matrix of token rows, packed or padded. It owns the data that a RowLayout
/// points to.
struct Rows {
  Index rows = 0;
  std::vector<RowSpan> sequences;
  std::vector<std::uint32_t> sequence_ids = {};
  Index first_position = 0;

  /// Makes packed sequences of these lengths.
  static Rows packed(const std::vector<Index>& lengths);

  /// Makes padded sequences: sequence b begins at row b * width.
  static Rows padded(const std::vector<Index>& lengths, Index width);

  RowLayout layout() const {
    return {.rows = rows, .sequences = sequences, .sequence_ids = sequence_ids, .first_position = first_position};
  }

  /// Returns the layout in a step's memory, to which the tape may refer.
  template <class T>
  RowLayout layout_in(Context<T>& context) const {
    return {.rows = rows,
            .sequences = context.keep(std::span<const RowSpan>(sequences)),
            .sequence_ids = context.keep(std::span<const std::uint32_t>(sequence_ids)),
            .first_position = first_position};
  }
};

/// Converts an argument. Throws an Error at `where` for other kinds of objects.
Rows to_rows(const char* where, const RowsLike& rows);

}  // namespace glossa::python
