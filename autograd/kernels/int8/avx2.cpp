#include <immintrin.h>

#include "autograd/kernels/int8/kind.h"
#include "autograd/kernels/int8/row_blocks.h"

// Compiled for AVX2 whatever the target of the rest, and only called on a processor that has it.
#define GLOSSA_AVX2 __attribute__((target("avx2")))

namespace glossa::kernels::int8 {

namespace {

constexpr int avx2_lanes = 8;

GLOSSA_AVX2 __m256i avx2_load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

/// The codes 0 and 2, or 1 and 3, of each quad in 16 bits. AVX2's products of 8-bit codes would saturate in 16 bits.
GLOSSA_AVX2 __m256i even(__m256i quads) { return _mm256_srai_epi16(_mm256_slli_epi16(quads, 8), 8); }
GLOSSA_AVX2 __m256i odd(__m256i quads) { return _mm256_srai_epi16(quads, 8); }

/// R rows of 16 sums. A row of A has a quad's even codes, then its odd ones, in 16 bits each.
template <int R>
GLOSSA_AVX2 void avx2_block(Index quads, const Unit* a, Index row, const Unit* b, const std::int32_t* start,
                            std::int32_t* sums) {
  __m256i left[R], right[R];
#pragma GCC unroll 4
  for (int i = 0; i < R; ++i) {
    left[i] = avx2_load(start);
    right[i] = avx2_load(start + avx2_lanes);
  }
  for (Index q = 0; q < quads; ++q, b += panel_columns) {
    const __m256i b_left = avx2_load(b), b_right = avx2_load(b + avx2_lanes);
    const __m256i even_left = even(b_left), odd_left = odd(b_left), even_right = even(b_right),
                  odd_right = odd(b_right);
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i) {
      const Unit* const quad = a + i * row + 2 * q;
      const __m256i evens = _mm256_set1_epi32(static_cast<int>(quad[0]));
      const __m256i odds = _mm256_set1_epi32(static_cast<int>(quad[1]));
      left[i] = _mm256_add_epi32(left[i], _mm256_madd_epi16(evens, even_left));
      left[i] = _mm256_add_epi32(left[i], _mm256_madd_epi16(odds, odd_left));
      right[i] = _mm256_add_epi32(right[i], _mm256_madd_epi16(evens, even_right));
      right[i] = _mm256_add_epi32(right[i], _mm256_madd_epi16(odds, odd_right));
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
  for_row_blocks<4>(rows, [&]<int R>(Index i) {
    for (Index j = 0; j < cols; j += 2 * avx2_lanes)
      avx2_block<R>(quads, a + i * row, row, b + j, start + j, sums + i * panel_columns + j);
  });
}

Unit pair_of(Code first, Code second) {
  return static_cast<std::uint16_t>(std::int16_t{first}) | Unit{static_cast<std::uint16_t>(std::int16_t{second})} << 16;
}

void avx2_lay_out(Index quads, const Code* codes, Unit* to) {
  for (Index q = 0; q < quads; ++q) {
    to[2 * q] = pair_of(codes[4 * q], codes[4 * q + 2]);
    to[2 * q + 1] = pair_of(codes[4 * q + 1], codes[4 * q + 3]);
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
