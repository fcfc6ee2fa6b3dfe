#pragma once

#include "autograd/kernels/bf16/kind.h"
#include "autograd/kernels/gemm.h"

namespace glossa::kernels::bf16 {

/// Size in pairs of the packed form of a right factor [k, n].
Index packed_size(Index n, Index k);

/// Packs panel `panel` of a right factor [k, n], with the columns from 64 * panel on, as [pairs, panel_columns]. `to`
/// is the packed form of the whole factor. Panels are independent, so several threads may pack one factor.
void pack_panel(const Kind& kind, Index n, Index k, const Factor<float>& b, Index panel, Pair* to);

/// Maximum numbers of rows and columns in a tile of a product.
inline constexpr Index most_rows = 384, most_columns = 4 * panel_columns;

/// C [m, n] = A B + beta C for k > 0, on one thread, with factors rounded to bf16 and sums in float. Uses a factor's
/// rounded or packed form if it exists. Sums over k are cut into blocks of a fixed size, so the bits depend only on the
/// factors and the kind.
void tile(const Kind& kind, Index m, Index n, Index k, const Factor<float>& a, const Factor<float>& b, float beta,
          float* c, Index stride);

}  // namespace glossa::kernels::bf16
