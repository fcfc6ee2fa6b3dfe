#pragma once

#include "autograd/kernels/int8/matrix.h"

namespace glossa::kernels::int8 {

/// The largest sum of products that int32 holds: k codes of each factor, the left ones plus 128 (see Kind::offset).
inline constexpr Index max_inputs = 65536;
static_assert(std::int64_t{127 + 128} * 127 * max_inputs <= INT32_MAX);

/// Writes the codes of a row, x[j] / scale rounded to nearest, and returns the scale, the largest magnitude / 127. The
/// error of a number is at most half the scale, plus rounding in float. A row whose largest magnitude is below 2^-100
/// counts as zeros. The scale of a row with NaN or infinity is NaN.
float quantize_row(Index count, const float* x, Code* codes);

/// Writes panel `panel` of a weight w [outputs, inputs], which has its rows from 64 panel on, and these rows' scales
/// and sums. Panels are independent, so several threads may write those of one weight. sum_panel writes only the sums.
void pack_panel(const float* w, Index outputs, Index inputs, Index panel, Unit* panels, float* scales,
                std::int32_t* sums);

void sum_panel(Index outputs, Index inputs, Index panel, const Unit* panels, std::int32_t* sums);

/// to[j] = element j of row `row`.
template <class T>
void unpack_row(const Weight& weight, Index row, T* to);

}  // namespace glossa::kernels::int8
