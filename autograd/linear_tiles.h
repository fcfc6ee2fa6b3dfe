#pragma once

#include <functional>
#include <optional>

#include "autograd/kernels/gemm.h"
#include "autograd/variable.h"

namespace glossa {

/// Columns in a tile of linear_tiles; the last tile of a row may have fewer.
inline constexpr Index linear_tile_columns = 512;

/// Computes y = x W^T + b [N, O] tile by tile, on several threads. Calls `use` for each tile while it is in the cache.
/// The whole of y is never in memory. This serves searches, whose y has a column for each token of a vocabulary; there
/// is no derivative. x is [N, I], W [O, I], and b [O] or absent. A row is cut into the same pieces in any batch.
template <class T>
void linear_tiles(const Variable<T>& x, const Variable<T>& weight, const std::optional<Variable<T>>& bias,
                  const std::function<void(const kernels::Tile<T>&)>& use);

}  // namespace glossa
