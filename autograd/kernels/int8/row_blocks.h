#pragma once

#include "base/index.h"

namespace glossa::kernels::int8 {

/// Calls block.operator()<R>(i) for each block of R rows, starting at row i. The caller chooses R such that R rows of
/// sums fit in registers. If fewer rows remain, a last call has a smaller R.
template <int R, class Block>
void for_row_blocks(Index rows, const Block& block, Index first = 0) {
  for (; rows - first >= R; first += R) block.template operator()<R>(first);
  if constexpr (R > 1) {
    if (first < rows) for_row_blocks<R - 1>(rows, block, first);
  }
}

}  // namespace glossa::kernels::int8
