#include "autograd/kernels/int8/quantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "autograd/kernels/row.h"

namespace glossa::kernels::int8 {

namespace {

/// x rounded to nearest, ties to even, for |x| < 2^22. In the sum below, the last bit has the value 1.
std::int32_t nearest(float x) {
  constexpr float shift = 0x1.8p23f;
  return std::bit_cast<std::int32_t>(x + shift) - std::bit_cast<std::int32_t>(shift);
}

float largest_magnitude(Index count, const float* x) {
  return row_max<float>(count, 0, [&](Index j) { return std::abs(x[j]); });
}

/// Writes the codes of a row with the scale largest / 127, and returns this scale. No magnitude in x may exceed
/// `largest`.
float quantize_up_to(float largest, Index count, const float* x, Code* codes) {
  const bool is_finite = std::isfinite(largest) && row_sum<float>(count, [&](Index j) { return x[j] * 0; }) == 0;
  if (!is_finite || largest < 0x1p-100f) {
    std::fill_n(codes, count, Code{0});
    return is_finite ? 0 : std::numeric_limits<float>::quiet_NaN();
  }
  const float inverse = 127 / largest;
#pragma omp simd
  for (Index j = 0; j < count; ++j) codes[j] = static_cast<Code>(nearest(x[j] * inverse));
  return largest / 127;
}

}  // namespace

float quantize_row(Index count, const float* x, Code* codes) {
  return quantize_up_to(largest_magnitude(count, x), count, x, codes);
}

float quantize_weight_row(Index count, const float* x, Code* codes) {
  const float pair = row_max<float>(count / 2, 0, [&](Index k) { return std::abs(x[2 * k] + x[2 * k + 1]); });
  return quantize_up_to(std::max(pair, largest_magnitude(count, x)), count, x, codes);
}

void pack_panel(const float* w, Index outputs, Index inputs, Index panel, Unit* panels, float* scales,
                std::int32_t* sums) {
  const Index first = panel * panel_columns, rows = std::min(panel_columns, outputs - first), units = quads(inputs);
  std::vector<std::uint32_t> row(static_cast<std::size_t>(units));
  auto* const codes = reinterpret_cast<Code*>(row.data());
  Unit* const to = panels + first * units;
  for (Index i = 0; i < panel_columns; ++i) {
    std::fill(row.begin(), row.end(), 0);
    if (i < rows) scales[first + i] = quantize_weight_row(inputs, w + (first + i) * inputs, codes);
    for (Index q = 0; q < units; ++q) to[q * panel_columns + i] = row[static_cast<std::size_t>(q)];
  }
  sum_panel(outputs, inputs, panel, panels, sums);
}

int sum_panel(Index outputs, Index inputs, Index panel, const Unit* panels, std::int32_t* sums) {
  const Index first = panel * panel_columns, rows = std::min(panel_columns, outputs - first);
  std::int32_t sum[panel_columns] = {}, largest[panel_columns] = {};
  for (Index q = 0; q < quads(inputs); ++q) {
    const Unit* const row = panels + first * quads(inputs) + q * panel_columns;
#pragma omp simd
    for (Index i = 0; i < panel_columns; ++i) {
      const auto quad = static_cast<std::int32_t>(row[i]);
      const std::int32_t pair = (quad << 24 >> 24) + (quad << 16 >> 24);
      const std::int32_t next = (quad << 8 >> 24) + (quad >> 24);
      sum[i] += pair + next;
      largest[i] = std::max(largest[i], std::max(std::abs(pair), std::abs(next)));
    }
  }
  std::copy_n(sum, rows, sums + first);
  return *std::max_element(largest, largest + panel_columns);
}

template <class T>
void unpack_row(const Weight& weight, Index row, T* to) {
  const Index column = row % panel_columns;
  const Unit* const panel = weight.panel(row - column);
  for (Index j = 0; j < weight.inputs; ++j) {
    const Unit quad = panel[j / 4 * panel_columns + column];
    to[j] = weight.scales[row] * static_cast<float>(static_cast<Code>(quad >> 8 * (j % 4)));
  }
}

template void unpack_row(const Weight&, Index, float*);
template void unpack_row(const Weight&, Index, double*);

}  // namespace glossa::kernels::int8
