#include <algorithm>

#include "autograd/kernels/int8/kind.h"

namespace glossa::kernels::int8 {

namespace {

int code(Unit quad, int place) { return static_cast<Code>(quad >> 8 * place); }

void plain_multiply(Index rows, Index cols, Index quads, const Unit* a, Index row, const Unit* b,
                    const std::int32_t* start, std::int32_t* sums) {
  for (Index i = 0; i < rows; ++i) {
    std::int32_t* const sum = sums + i * panel_columns;
    std::copy_n(start, cols, sum);
    for (Index q = 0; q < quads; ++q) {
      const Unit left = a[i * row + q];
      const Unit* const right = b + q * panel_columns;
#pragma omp simd
      for (Index j = 0; j < cols; ++j)
        sum[j] += code(left, 0) * code(right[j], 0) + code(left, 1) * code(right[j], 1) +
                  code(left, 2) * code(right[j], 2) + code(left, 3) * code(right[j], 3);
    }
  }
}

}  // namespace

const Kind& plain() {
  static const Kind kind{.name = "plain", .offset = 0, .lay_out = lay_out_signed, .multiply = plain_multiply};
  return kind;
}

}  // namespace glossa::kernels::int8
