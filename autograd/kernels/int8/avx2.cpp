#include <immintrin.h>

#include <cstdlib>
#include <cstring>

#include "autograd/kernels/int8/kind.h"
#include "autograd/kernels/int8/row_blocks.h"

// Compiled for AVX2 whatever the target of the rest, and only called on a processor that has it.
#define GLOSSA_AVX2 __attribute__((target("avx2")))

namespace glossa::kernels::int8 {

namespace {

constexpr int avx2_lanes = 8;

GLOSSA_AVX2 __m256i avx2_load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

/// The sums of four adjacent products of codes, in int32: |a| times b with the sign of a. Codes are in [-127, 127], so
/// that two products fit into 16 bits.
GLOSSA_AVX2 __m256i products(__m256i a, __m256i magnitude_of_a, __m256i b) {
  const __m256i pairs = _mm256_maddubs_epi16(magnitude_of_a, _mm256_sign_epi8(b, a));
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

GLOSSA_AVX2 __m256i in_all_lanes(Unit unit) { return _mm256_set1_epi32(static_cast<int>(unit)); }

/// R rows of 16 sums, as in vnni.cpp. A row of A has each quad of codes, then their magnitudes. With `fetch`, the next
/// panel's columns come into the cache meanwhile: few rows are summed faster than memory is read on demand. Beyond
/// the last panel, this has no effect.
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
      const Unit* const units = a + i * row + 2 * q;
      const __m256i quad = in_all_lanes(units[0]), magnitude = in_all_lanes(units[1]);
      left[i] = _mm256_add_epi32(left[i], products(quad, magnitude, b_left));
      right[i] = _mm256_add_epi32(right[i], products(quad, magnitude, b_right));
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

Code magnitude(Code code) { return static_cast<Code>(std::abs(code)); }

void avx2_lay_out(Index quads, const Code* codes, Unit* to) {
  for (Index q = 0; q < quads; ++q, codes += 4, to += 2) {
    const Code magnitudes[] = {magnitude(codes[0]), magnitude(codes[1]), magnitude(codes[2]), magnitude(codes[3])};
    std::memcpy(to, codes, sizeof(Unit));
    std::memcpy(to + 1, magnitudes, sizeof(Unit));
  }
}

}  // namespace

const Kind& avx2() {
  static const Kind kind{
      .name = "avx2", .units_per_quad = 2, .offset = 0, .lay_out = avx2_lay_out, .multiply = avx2_multiply};
  return kind;
}

}  // namespace glossa::kernels::int8

#undef GLOSSA_AVX2
