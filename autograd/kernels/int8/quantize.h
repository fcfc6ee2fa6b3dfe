#pragma once

#include "autograd/kernels/int8/matrix.h"

namespace glossa::kernels::int8 {

/// The largest sum of products that int32 holds: k codes of each factor, the left ones plus 128 (see Kind::offset).
inline constexpr Index max_inputs = 65536;
static_assert(std::int64_t{127 + 128} * 128 * max_inputs <= INT32_MAX);

/// The largest magnitude of the sum of codes 2k and 2k + 1 of a weight's row. So the sum of two products fits in 16
/// bits, which AVX2's instruction needs, even if the left codes have the offset 128.
inline constexpr int max_pair = 128;
static_assert((127 + 128) * max_pair <= INT16_MAX);

/// Writes the codes of a row, x[j] / scale rounded to nearest, and returns the scale, the largest magnitude / 127. The
/// error of a number is at most half the scale, plus rounding in float. A row whose largest magnitude is below 2^-100
/// counts as zeros. The scale of a row with NaN or infinity is NaN.
float quantize_row(Index count, const float* x, Code* codes);

/// Quantizes a row of a weight, where the scale is the largest magnitude of x[j] and x[2k] + x[2k + 1], divided by 127.
/// So the codes of two such neighbors sum to max_pair at most. The scale of a row whose sums overflow is NaN.
float quantize_weight_row(Index count, const float* x, Code* codes);

/// Writes panel `panel` of a weight w [outputs, inputs], which has its rows from 64 panel on, and these rows' scales
/// and sums. Panels are independent, so several threads may write those of one weight.
void pack_panel(const float* w, Index outputs, Index inputs, Index panel, Unit* panels, float* scales,
                std::int32_t* sums);

/// Writes only the sums. Returns the largest magnitude of the sum of codes 2k and 2k + 1 (see max_pair).
int sum_panel(Index outputs, Index inputs, Index panel, const Unit* panels, std::int32_t* sums);

/// to[j] = element j of row `row`.
template <class T>
void unpack_row(const Weight& weight, Index row, T* to);

}  // namespace glossa::kernels::int8
