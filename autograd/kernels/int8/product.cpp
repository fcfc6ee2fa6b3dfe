#include "autograd/kernels/int8/product.h"

#include <algorithm>
#include <vector>

#include "autograd/kernels/int8/quantize.h"
#include "autograd/kernels/row.h"
#include "base/parallel.h"

namespace glossa::kernels::int8 {

namespace {

/// Number of rows whose sums are kept in the L1 cache at once; a multiple of every kind's rows per block.
constexpr Index strip_rows = 24;

/// Memory for a row's codes, padded with zeros to a whole quad.
Code* code_memory(Index inputs) {
  static thread_local std::vector<Code> memory;
  const auto size = static_cast<std::size_t>(4 * quads(inputs));
  if (memory.size() < size) memory.resize(size);
  std::fill(memory.begin() + inputs, memory.begin() + 4 * quads(inputs), Code{0});
  return memory.data();
}

}  // namespace

Rows quantize_rows(const Kind& kind, Index rows, Index inputs, const float* x, Unit* units, float* scales) {
  const Index stride = quads(inputs);
  parallel_ranges(rows, row_grain(inputs), [&](Index begin, Index end) {
    Code* const codes = code_memory(inputs);
    for (Index i = begin; i < end; ++i) {
      scales[i] = quantize_row(inputs, x + i * inputs, codes);
      kind.lay_out(stride, codes, units + i * stride);
    }
  });
  return {units, stride, scales};
}

void tile(const Kind& kind, Index rows, Index first, Index cols, const Rows& x, const Weight& w, float* c,
          Index stride) {
  alignas(64) std::int32_t sums[strip_rows * panel_columns];
  for (Index j = 0; j < cols; j += panel_columns) {
    const Index width = std::min(panel_columns, cols - j);
    const std::int32_t* const w_sums = w.sums + first + j;
    const float* const w_scales = w.scales + first + j;
    alignas(64) std::int32_t start[panel_columns] = {};
    for (Index l = 0; l < width; ++l) start[l] = -kind.offset * w_sums[l];
    for (Index i = 0; i < rows; i += strip_rows) {
      const Index count = std::min(strip_rows, rows - i);
      const Rows strip = x.from_row(i);
      kind.multiply(count, width, quads(w.inputs), strip.units, strip.stride, w.panel(first + j), start, sums);
      for (Index r = 0; r < count; ++r) {
        const float scale = strip.scales[r];
        const std::int32_t* const sum = sums + r * panel_columns;
        float* const to = c + (i + r) * stride + j;
#pragma omp simd
        for (Index l = 0; l < width; ++l) to[l] = static_cast<float>(sum[l]) * (scale * w_scales[l]);
      }
    }
  }
}

}  // namespace glossa::kernels::int8
