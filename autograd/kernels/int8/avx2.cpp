#include <immintrin.h>

#include "autograd/kernels/int8/kind.h"
#include "autograd/kernels/int8/row_blocks.h"

// Compiled for AVX2 regardless of the build's target; called only on processors that support it.
#define GLOSSA_AVX2 __attribute__((target("avx2")))

namespace glossa::kernels::int8 {

namespace {

constexpr int avx2_lanes = 8;

GLOSSA_AVX2 __m256i avx2_load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

/// Sums of four adjacent products of codes, in int32. The sum of two products fits in 16 bits (max_pair in quantize.h).
GLOSSA_AVX2 __m256i products(__m256i a, __m256i b) {
  return _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), _mm256_set1_epi16(1));
}

/// Computes R rows of 16 sums, as in vnni.cpp. With `fetch`, also prefetches the next panel's columns, because with few
/// rows the loop would otherwise wait for memory. Prefetching beyond the last panel has no effect.
template <int R>
GLOSSA_AVX2 void avx2_block(Index quads, const Unit* a, Index row, const Unit* b, const std::int32_t* start,
                            std::int32_t* sums, bool fetch) {
  __m256i left[R], right[R];
#pragma GCC unroll 4
  for (int i = 0; i < R; ++i) {
    left[i] = avx2_load(start);
    right[i] = avx2_load(start + avx2_lanes);
  }
  for (Index q = 0; q < quads; ++q, b += panel_columns) {
    if (fetch) _mm_prefetch(b + quads * panel_columns, _MM_HINT_T1);
    const __m256i b_left = avx2_load(b), b_right = avx2_load(b + avx2_lanes);
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i) {
      const __m256i quad = _mm256_set1_epi32(static_cast<int>(a[i * row + q]));
      left[i] = _mm256_add_epi32(left[i], products(quad, b_left));
      right[i] = _mm256_add_epi32(right[i], products(quad, b_right));
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < R; ++i) {
    auto* const to = reinterpret_cast<__m256i*>(sums + i * panel_columns);
    _mm256_storeu_si256(to, left[i]);
    _mm256_storeu_si256(to + 1, right[i]);
  }
}

void avx2_multiply(Index rows, Index cols, Index quads, const Unit* a, Index row, const Unit* b,
                   const std::int32_t* start, std::int32_t* sums) {
  for (Index j = 0; j < cols; j += 2 * avx2_lanes)
    for_row_blocks<4>(rows, [&]<int R>(Index i) {
      avx2_block<R>(quads, a + i * row, row, b + j, start + j, sums + i * panel_columns + j, i == 0);
    });
}

}  // namespace

const Kind& avx2() {
  static const Kind kind{.name = "avx2", .offset = 128, .lay_out = lay_out_unsigned, .multiply = avx2_multiply};
  return kind;
}

}  // namespace glossa::kernels::int8

#undef GLOSSA_AVX2
