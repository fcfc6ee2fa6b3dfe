#include <immintrin.h>

#include <algorithm>

#include "autograd/kernels/bf16/kind.h"

// Compiled for AVX512-BF16 regardless of the build's target; called only on processors that support it.
#define GLOSSA_AVX512_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))

namespace glossa::kernels::bf16 {

namespace {

constexpr int lanes = 16;

__mmask16 first_lanes(Index count) { return static_cast<__mmask16>((1u << std::min<Index>(count, lanes)) - 1); }

/// Converts two vectors of floats to bf16, the first in the lower half.
GLOSSA_AVX512_BF16 __m512i halves(__m512 first, __m512 second) {
  return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(second, first));
}

/// Indices begin, begin + step, begin + 1, begin + 1 + step, ... for permuting two rows of bf16 into a row of pairs.
template <int begin, int step>
GLOSSA_AVX512_BF16 __m512i places_of_pairs() {
  alignas(64) std::uint16_t place[2 * lanes];
  for (int i = 0; i < lanes; ++i) {
    place[2 * i] = static_cast<std::uint16_t>(begin + i);
    place[2 * i + 1] = static_cast<std::uint16_t>(begin + i + step);
  }
  return _mm512_load_si512(place);
}

GLOSSA_AVX512_BF16 void avx512_round(Index count, const float* from, Bf16* to) {
  Index i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes)
    _mm512_storeu_si512(to + i, halves(_mm512_loadu_ps(from + i), _mm512_loadu_ps(from + i + lanes)));
  for (; i < count; i += lanes) {
    const __mmask16 mask = first_lanes(count - i);
    const __m512i half = halves(_mm512_maskz_loadu_ps(mask, from + i), _mm512_setzero_ps());
    _mm512_mask_storeu_epi16(to + i, mask, half);
  }
}

GLOSSA_AVX512_BF16 void avx512_interleave(Index count, const Bf16* even, const Bf16* odd, Pair* to) {
  const __m512i low = places_of_pairs<0, 32>(), high = places_of_pairs<16, 32>();
  Index i = 0;
  for (; i + 2 * lanes <= count && odd; i += 2 * lanes) {
    const __m512i a = _mm512_loadu_si512(even + i), b = _mm512_loadu_si512(odd + i);
    _mm512_storeu_si512(to + i, _mm512_permutex2var_epi16(a, low, b));
    _mm512_storeu_si512(to + i + lanes, _mm512_permutex2var_epi16(a, high, b));
  }
  for (; i < count; i += lanes) {
    const __mmask16 mask = first_lanes(count - i);
    const __m512i a = _mm512_maskz_loadu_epi16(mask, even + i);
    const __m512i b = odd ? _mm512_maskz_loadu_epi16(mask, odd + i) : _mm512_setzero_si512();
    _mm512_mask_storeu_epi32(to + i, mask, _mm512_permutex2var_epi16(a, low, b));
  }
}

GLOSSA_AVX512_BF16 void avx512_round_interleave(Index count, const float* even, const float* odd, Pair* to) {
  const __m512i places = places_of_pairs<0, 16>();
  for (Index i = 0; i < count; i += lanes) {
    const __mmask16 mask = first_lanes(count - i);
    const __m512 second = odd ? _mm512_maskz_loadu_ps(mask, odd + i) : _mm512_setzero_ps();
    const __m512i both = halves(_mm512_maskz_loadu_ps(mask, even + i), second);
    _mm512_mask_storeu_epi32(to + i, mask, _mm512_permutexvar_epi16(places, both));
  }
}

/// Transposes at most 16 x 16 pairs in registers. Four steps double the size of the transposed blocks, from 1 to 16.
GLOSSA_AVX512_BF16 void transpose_square(__mmask16 rows, __mmask16 cols, const Pair* from, Index from_stride, Pair* to,
                                         Index to_stride) {
  __m512i row[lanes], half[lanes];
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i)
    row[i] = rows >> i & 1 ? _mm512_maskz_loadu_epi32(cols, from + i * from_stride) : _mm512_setzero_si512();
#pragma GCC unroll 8
  for (int i = 0; i < lanes; i += 2) {
    half[i] = _mm512_unpacklo_epi32(row[i], row[i + 1]);
    half[i + 1] = _mm512_unpackhi_epi32(row[i], row[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < lanes; i += 4) {
    row[i] = _mm512_unpacklo_epi64(half[i], half[i + 2]);
    row[i + 1] = _mm512_unpackhi_epi64(half[i], half[i + 2]);
    row[i + 2] = _mm512_unpacklo_epi64(half[i + 1], half[i + 3]);
    row[i + 3] = _mm512_unpackhi_epi64(half[i + 1], half[i + 3]);
  }
  // row[4 i + j] now has the columns j, 4 + j, 8 + j and 12 + j of the rows 4 i to 4 i + 3.
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    half[j] = _mm512_shuffle_i32x4(row[j], row[4 + j], 0x88);
    half[4 + j] = _mm512_shuffle_i32x4(row[j], row[4 + j], 0xDD);
    half[8 + j] = _mm512_shuffle_i32x4(row[8 + j], row[12 + j], 0x88);
    half[12 + j] = _mm512_shuffle_i32x4(row[8 + j], row[12 + j], 0xDD);
  }
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    row[j] = _mm512_shuffle_i32x4(half[j], half[8 + j], 0x88);
    row[8 + j] = _mm512_shuffle_i32x4(half[j], half[8 + j], 0xDD);
    row[4 + j] = _mm512_shuffle_i32x4(half[4 + j], half[12 + j], 0x88);
    row[12 + j] = _mm512_shuffle_i32x4(half[4 + j], half[12 + j], 0xDD);
  }
#pragma GCC unroll 16
  for (int j = 0; j < lanes; ++j)
    if (cols >> j & 1) _mm512_mask_storeu_epi32(to + j * to_stride, rows, row[j]);
}

GLOSSA_AVX512_BF16 void avx512_transpose(Index rows, Index cols, const Pair* from, Index from_stride, Pair* to,
                                         Index to_stride) {
  for (Index i = 0; i < rows; i += lanes)
    for (Index j = 0; j < cols; j += lanes)
      transpose_square(first_lanes(rows - i), first_lanes(cols - j), from + i * from_stride + j, from_stride,
                       to + j * to_stride + i, to_stride);
}

/// Computes C [R, cols] with V vectors per row. R V <= 24 vectors of sums stay in registers for all pairs, besides V
/// vectors of B and one pair of A in all lanes. Each vector of B serves R rows; each pair of A serves V vectors.
template <int R, int V>
GLOSSA_AVX512_BF16 void block(Index cols, Index pairs, const LeftPairs& a, const Pair* b, bool add, float* c,
                              Index stride) {
  const __mmask16 last = first_lanes(cols - (V - 1) * lanes);
  __m512 sum[R][V];
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v)
      sum[i][v] = add ? _mm512_maskz_loadu_ps(v + 1 < V ? __mmask16{0xFFFF} : last, c + i * stride + v * lanes)
                      : _mm512_setzero_ps();
  const Pair* left = a.data;
  for (Index p = 0; p < pairs; ++p, left += a.pair, b += panel_columns) {
    __m512bh right[V];
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) right[v] = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + v * lanes));
#pragma GCC unroll 12
    for (int i = 0; i < R; ++i) {
      __m512i both = _mm512_set1_epi32(static_cast<int>(left[i * a.row]));
#ifdef __clang__
      asm("" : "+v"(both));  // hides the numbers' origin, because clang 16 crashes on a broadcast pair of bf16
#endif
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) sum[i][v] = _mm512_dpbf16_ps(sum[i][v], reinterpret_cast<__m512bh>(both), right[v]);
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v)
      _mm512_mask_storeu_ps(c + i * stride + v * lanes, v + 1 < V ? __mmask16{0xFFFF} : last, sum[i][v]);
}

/// Computes all rows: R at a time, then the remaining rows R / 2 at a time, and so on.
template <int R, int V>
GLOSSA_AVX512_BF16 void blocks(Index rows, Index cols, Index pairs, LeftPairs a, const Pair* b, bool add, float* c,
                               Index stride) {
  for (; rows >= R; rows -= R, a.data += R * a.row, c += R * stride) block<R, V>(cols, pairs, a, b, add, c, stride);
  if constexpr (R > 1) {
    if (rows > 0) blocks<R / 2, V>(rows, cols, pairs, a, b, add, c, stride);
  }
}

void avx512_multiply(Index rows, Index cols, Index pairs, const LeftPairs& a, const Pair* b, bool add, float* c,
                     Index stride) {
  if (cols > 3 * lanes) return blocks<6, 4>(rows, cols, pairs, a, b, add, c, stride);
  if (cols > 2 * lanes) return blocks<8, 3>(rows, cols, pairs, a, b, add, c, stride);
  if (cols > lanes) return blocks<12, 2>(rows, cols, pairs, a, b, add, c, stride);
  blocks<12, 1>(rows, cols, pairs, a, b, add, c, stride);
}

}  // namespace

const Kind& avx512() {
  static const Kind kind{.name = "avx512bf16",
                         .left_in_rows = false,
                         .round = avx512_round,
                         .interleave = avx512_interleave,
                         .round_interleave = avx512_round_interleave,
                         .transpose = avx512_transpose,
                         .multiply = avx512_multiply};
  return kind;
}

}  // namespace glossa::kernels::bf16

#undef GLOSSA_AVX512_BF16
