#include "autograd/rows.h"

#include "base/check.h"

namespace glossa {

void check_layout(const char* op, const RowLayout& layout, const Shape& matrix, bool may_overlap) {
  check(matrix.rank() == 2 && matrix.rows() == layout.rows, op, "expected [{}, D], the rows of its sequences; got {}",
        layout.rows, matrix);
  check(layout.rows == 0 || !layout.sequences.empty(), op,
        "expected the sequences of {} rows; got none. Hint: one sequence is RowSpan{{0, {}}}", layout.rows,
        layout.rows);
  check(layout.sequence_ids.empty() || layout.sequence_ids.size() == layout.sequences.size(), op,
        "expected {} sequence ids or none; got {}", layout.sequences.size(), layout.sequence_ids.size());
  check(layout.first_position >= 0, op, "expected a first position of at least 0; got {}", layout.first_position);
  Index free = 0;
  for (Index b = 0; b < layout.sequence_count(); ++b) {
    const auto [offset, length] = layout.sequences[b];
    check(offset >= 0 && length >= 0 && length <= layout.rows - offset, op,
          "expected sequence {} within {} rows; got {} rows from row {}", b, layout.rows, length, offset);
    check(offset >= free || may_overlap, op,
          "expected sequences in order and disjoint; got sequence {} from row {}, before the previous one ends at {}. "
          "Hint: keys may share rows if they need no gradient",
          b, offset, free);
    free = offset + length;
  }
}

}  // namespace glossa
