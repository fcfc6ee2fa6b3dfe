#pragma once

#include "autograd/cases/op_case.h"

namespace glossa {

/// Two sequences of 2 and 3 rows, packed: 5 rows.
inline RowLayout packed_2_3() {
  static constexpr RowSpan sequences[] = {{0, 2}, {2, 3}};
  return {.rows = 5, .sequences = sequences, .sequence_ids = {}};
}

/// Two sequences of 2 and 3 rows, padded to 3 rows each: 6 rows; row 2 is a gap row.
inline RowLayout padded_2_3() {
  static constexpr RowSpan sequences[] = {{0, 2}, {3, 3}};
  return {.rows = 6, .sequences = sequences, .sequence_ids = {}};
}

/// Two sequences of 4 and 1 rows: 5 rows.
inline RowLayout packed_4_1() {
  static constexpr RowSpan sequences[] = {{0, 4}, {4, 1}};
  return {.rows = 5, .sequences = sequences, .sequence_ids = {}};
}

/// Two sequences of 100 and 200 rows: 300 rows, enough for ops to use several threads.
inline RowLayout packed_100_200() {
  static constexpr RowSpan sequences[] = {{0, 100}, {100, 200}};
  return {.rows = 300, .sequences = sequences, .sequence_ids = {}};
}

/// Two invalid layouts of 5 rows: one with overlapping sequences, and one with a sequence that ends after the last row.
inline RowLayout overlapping_of_5() {
  static constexpr RowSpan sequences[] = {{0, 3}, {2, 3}};
  return {.rows = 5, .sequences = sequences, .sequence_ids = {}};
}
inline RowLayout beyond_5() {
  static constexpr RowSpan sequences[] = {{0, 2}, {2, 4}};
  return {.rows = 5, .sequences = sequences, .sequence_ids = {}};
}

/// One sequence of 3 rows.
inline RowLayout one_of_3() {
  static constexpr RowSpan sequences[] = {{0, 3}};
  return {.rows = 3, .sequences = sequences, .sequence_ids = {}};
}

/// One sequence of 5 rows.
inline RowLayout one_of_5() {
  static constexpr RowSpan sequences[] = {{0, 5}};
  return {.rows = 5, .sequences = sequences, .sequence_ids = {}};
}

/// One sequence of 1 row.
inline RowLayout one_of_1() {
  static constexpr RowSpan sequences[] = {{0, 1}};
  return {.rows = 1, .sequences = sequences, .sequence_ids = {}};
}

}  // namespace glossa
