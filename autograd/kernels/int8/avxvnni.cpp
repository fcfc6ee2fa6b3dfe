#include <immintrin.h>

#include "autograd/kernels/int8/kind.h"
#include "autograd/kernels/int8/row_blocks.h"

// Compiled for AVX-VNNI regardless of the build's target; called only on processors that support it.
#define GLOSSA_AVX_VNNI __attribute__((target("avx2,avxvnni")))

namespace glossa::kernels::int8 {

namespace {

constexpr int avxvnni_lanes = 8;

GLOSSA_AVX_VNNI __m256i avxvnni_load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

/// Computes R rows of 16 sums, as in vnni.cpp.
template <int R>
GLOSSA_AVX_VNNI void avxvnni_block(Index quads, const Unit* a, Index row, const Unit* b, const std::int32_t* start,
                                   std::int32_t* sums) {
  __m256i left[R], right[R];
#pragma GCC unroll 6
  for (int i = 0; i < R; ++i) {
    left[i] = avxvnni_load(start);
    right[i] = avxvnni_load(start + avxvnni_lanes);
  }
  for (Index q = 0; q < quads; ++q, b += panel_columns) {
    const __m256i b_left = avxvnni_load(b), b_right = avxvnni_load(b + avxvnni_lanes);
#pragma GCC unroll 6
    for (int i = 0; i < R; ++i) {
      const __m256i quad = _mm256_set1_epi32(static_cast<int>(a[i * row + q]));
      left[i] = _mm256_dpbusd_avx_epi32(left[i], quad, b_left);
      right[i] = _mm256_dpbusd_avx_epi32(right[i], quad, b_right);
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < R; ++i) {
    auto* const to = reinterpret_cast<__m256i*>(sums + i * panel_columns);
    _mm256_storeu_si256(to, left[i]);
    _mm256_storeu_si256(to + 1, right[i]);
  }
}

void avxvnni_multiply(Index rows, Index cols, Index quads, const Unit* a, Index row, const Unit* b,
                      const std::int32_t* start, std::int32_t* sums) {
  for_row_blocks<6>(rows, [&]<int R>(Index i) {
    for (Index j = 0; j < cols; j += 2 * avxvnni_lanes)
      avxvnni_block<R>(quads, a + i * row, row, b + j, start + j, sums + i * panel_columns + j);
  });
}

}  // namespace

const Kind& avxvnni() {
  static const Kind kind{.name = "avxvnni", .offset = 128, .lay_out = lay_out_unsigned, .multiply = avxvnni_multiply};
  return kind;
}

}  // namespace glossa::kernels::int8

#undef GLOSSA_AVX_VNNI
