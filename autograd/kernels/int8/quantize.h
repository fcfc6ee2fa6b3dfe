#pragma once

#include "autograd/kernels/int8/matrix.h"

namespace glossa::kernels::int8 {

/// The largest sum of products that int32 holds: k codes of each factor, the left ones plus 128 (see Kind::offset).
inline constexpr Index most_inputs = 65536;
static_assert(std::int64_t{127 + 128} * 127 * most_inputs <= INT32_MAX);

/// Writes the codes of a row, x[j] / scale rounded to nearest, and returns the scale: that of the largest magnitude has
/// code 127. So every number is off by at most half a scale, and rounding. A row whose largest magnitude is below
/// 2^-100 counts as zeros. The scale of a row with NaN or infinity is NaN.
float quantize_row(Index count, const float* x, Code* codes);

/// Writes panel `panel` of a weight [outputs, inputs] in `w`: its rows 64 panel, ..., their scales and sums. Panels are
/// independent, so several threads may write those of one weight. sum_panel writes the sums of a panel that exists.
void pack_panel(const float* w, Index outputs, Index inputs, Index panel, Unit* panels, float* scales,
                std::int32_t* sums);

void sum_panel(Index outputs, Index inputs, Index panel, const Unit* panels, std::int32_t* sums);

/// to[j] = element j of row `row`.
template <class T>
void unpack_row(const Weight& weight, Index row, T* to);

}  // namespace glossa::kernels::int8
