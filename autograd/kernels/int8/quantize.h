#pragma once

#include "autograd/kernels/int8/matrix.h"

namespace glossa::kernels::int8 {

/// Maximum number of inputs: int32 holds a sum of this many products of codes, with 128 added to the left ones (see
/// Kind::offset).
inline constexpr Index max_inputs = 65536;
static_assert(std::int64_t{127 + 128} * 128 * max_inputs <= INT32_MAX);

/// Maximum magnitude of the sum of codes 2k and 2k + 1 of a weight's row. The sum of two products then fits in 16 bits,
/// as AVX2's instruction requires, even if 128 is added to the left codes.
inline constexpr int max_pair = 128;
static_assert((127 + 128) * max_pair <= INT16_MAX);

/// Writes a row's codes, x[j] / scale rounded to nearest, and returns the scale, the largest magnitude / 127. A
/// number's error is at most half the scale, plus rounding in float. A row with a largest magnitude below 2^-100 counts
/// as zeros. The scale of a row with NaN or infinity is NaN.
float quantize_row(Index count, const float* x, Code* codes);

/// Quantizes a row of a weight. Its scale is the largest magnitude of x[j] and x[2k] + x[2k + 1], divided by 127, so
/// the codes of such neighbors sum to at most max_pair. The scale of a row whose sums overflow is NaN.
float quantize_weight_row(Index count, const float* x, Code* codes);

/// Writes panel `panel` of a weight w [outputs, inputs], and the scales and sums of the panel's rows. The panel's first
/// row is row 64 * panel of w. Panels are independent, so several threads may write panels of one weight.
void pack_panel(const float* w, Index outputs, Index inputs, Index panel, Unit* panels, float* scales,
                std::int32_t* sums);

/// Writes only a panel's sums. Returns the largest magnitude of the sum of codes 2k and 2k + 1 (see max_pair).
int sum_panel(Index outputs, Index inputs, Index panel, const Unit* panels, std::int32_t* sums);

/// to[j] = element j of row `row`.
template <class T>
void unpack_row(const Weight& weight, Index row, T* to);

}  // namespace glossa::kernels::int8
