#pragma once

#include "autograd/cases/op_case.h"

namespace glossa {

/// A layout of `rows` rows with the given sequences.
template <Index rows, RowSpan... each>
RowLayout layout_of() {
  static constexpr RowSpan sequences[] = {each...};
  return {.rows = rows, .sequences = sequences, .sequence_ids = {}};
}

/// Two sequences of 2 and 3 rows, packed: 5 rows.
inline RowLayout packed_2_3() { return layout_of<5, RowSpan{0, 2}, RowSpan{2, 3}>(); }

/// Two sequences of 2 and 3 rows, padded to 3 rows each: 6 rows; row 2 is a gap row.
inline RowLayout padded_2_3() { return layout_of<6, RowSpan{0, 2}, RowSpan{3, 3}>(); }

/// Two sequences of 4 and 1 rows: 5 rows.
inline RowLayout packed_4_1() { return layout_of<5, RowSpan{0, 4}, RowSpan{4, 1}>(); }

/// Two sequences of 100 and 200 rows: 300 rows, enough for ops to use several threads.
inline RowLayout packed_100_200() { return layout_of<300, RowSpan{0, 100}, RowSpan{100, 200}>(); }

/// Two invalid layouts of 5 rows: one with overlapping sequences, and one with a sequence that ends after the last row.
inline RowLayout overlapping_of_5() { return layout_of<5, RowSpan{0, 3}, RowSpan{2, 3}>(); }
inline RowLayout beyond_5() { return layout_of<5, RowSpan{0, 2}, RowSpan{2, 4}>(); }

/// One sequence of 3 rows.
inline RowLayout one_of_3() { return layout_of<3, RowSpan{0, 3}>(); }

/// One sequence of 5 rows.
inline RowLayout one_of_5() { return layout_of<5, RowSpan{0, 5}>(); }

/// One sequence of 1 row.
inline RowLayout one_of_1() { return layout_of<1, RowSpan{0, 1}>(); }

}  // namespace glossa
