#include <immintrin.h>

#include <algorithm>

#include "autograd/kernels/bf16/kind.h"

// Compiled for AVX512-BF16 whatever the target of the rest, and only called on a processor that has it.
#define GLOSSA_AVX512_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))

namespace glossa::kernels::bf16 {

namespace {

constexpr Index lanes = 16;

__mmask16 first_lanes(Index count) { return static_cast<__mmask16>((1u << std::min(count, lanes)) - 1); }

GLOSSA_AVX512_BF16 __m512i low_half(__m256bh x) { return _mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(x)); }

/// Pairs of the numbers of two vectors: [even_0, odd_0, even_1, odd_1, ...].
GLOSSA_AVX512_BF16 __m512i pairs_of(__m512 even, __m512 odd) {
  const __m512i low = low_half(_mm512_cvtneps_pbh(even)), high = low_half(_mm512_cvtneps_pbh(odd));
  return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

GLOSSA_AVX512_BF16 void avx512_round(Index count, const float* from, Bf16* to) {
  for (Index i = 0; i < count; i += lanes) {
    const __mmask16 mask = first_lanes(count - i);
    const __m256bh half = _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(mask, from + i));
    _mm256_mask_storeu_epi16(to + i, mask, reinterpret_cast<__m256i>(half));
  }
}

GLOSSA_AVX512_BF16 void avx512_interleave(Index count, const Bf16* even, const Bf16* odd, Pair* to) {
  for (Index i = 0; i < count; i += lanes) {
    const __mmask16 mask = first_lanes(count - i);
    const __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, even + i));
    const __m512i high = odd ? _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, odd + i)) : _mm512_setzero_si512();
    _mm512_mask_storeu_epi32(to + i, mask, _mm512_or_si512(low, _mm512_slli_epi32(high, 16)));
  }
}

GLOSSA_AVX512_BF16 void avx512_round_interleave(Index count, const float* even, const float* odd, Pair* to) {
  for (Index i = 0; i < count; i += lanes) {
    const __mmask16 mask = first_lanes(count - i);
    const __m512 high = odd ? _mm512_maskz_loadu_ps(mask, odd + i) : _mm512_setzero_ps();
    _mm512_mask_storeu_epi32(to + i, mask, pairs_of(_mm512_maskz_loadu_ps(mask, even + i), high));
  }
}

/// Squares of 16 x 16 pairs, in registers: doubles the size of the transposed blocks four times, from 1 to 16.
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

/// C [R, cols] with V vectors a row: 24 sums stay in registers for all pairs, beside V vectors of B and one pair of A
/// in all lanes. Each vector of B serves R rows, each pair of A serves V vectors.
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
      const auto both = reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(left[i * a.row])));
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) sum[i][v] = _mm512_dpbf16_ps(sum[i][v], both, right[v]);
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v)
      _mm512_mask_storeu_ps(c + i * stride + v * lanes, v + 1 < V ? __mmask16{0xFFFF} : last, sum[i][v]);
}

/// All rows, R at a time, then the rest in halves.
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
