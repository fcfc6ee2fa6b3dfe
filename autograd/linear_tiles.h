#pragma once

#include <functional>
#include <optional>

#include "autograd/kernels/gemm.h"
#include "autograd/variable.h"

namespace glossa {

/// Columns in a tile of linear_tiles; the last tile of a row may have fewer.
inline constexpr Index linear_tile_columns = 512;

/// Computes y = x W^T + b [N, O] tile by tile, on several threads. Calls `use` for each tile while it is in the cache.
/// y is never in memory as a whole; in a search, it has a column for each token of the vocabulary. There is no
/// derivative. x is [N, I], W [O, I], and b [O] or absent. The columns of a tile do not depend on the batch.
template <class T>
void linear_tiles(const Variable<T>& x, const Variable<T>& weight, const std::optional<Variable<T>>& bias,
                  const std::function<void(const kernels::Tile<T>&)>& use);

}  // namespace glossa
