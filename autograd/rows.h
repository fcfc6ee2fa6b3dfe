#pragma once

#include "autograd/shape.h"
#include "base/row_layout.h"

namespace glossa {

/// Throws Error `[op] ...` unless `matrix` is [N, D] with N = layout.rows and the sequences are within these rows,
/// ordered and disjoint. If there are rows, at least one sequence is required. Either all sequences have ids or none.
/// With `may_overlap`, sequences may be in any order and share rows.
void check_layout(const char* op, const RowLayout& layout, const Shape& matrix, bool may_overlap = false);

}  // namespace glossa
