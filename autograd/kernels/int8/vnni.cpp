#include <immintrin.h>

#include "autograd/kernels/int8/kind.h"
#include "autograd/kernels/int8/row_blocks.h"

// Compiled for AVX512-VNNI regardless of the build's target; called only on processors that support it.
#define GLOSSA_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

namespace glossa::kernels::int8 {

namespace {

constexpr int vnni_lanes = 16;

/// Computes R rows of sums with V vectors each. The sums stay in registers for all quads, besides V vectors of B and
/// one quad of A in all lanes. Each vector of B serves R rows; each quad of A serves V vectors.
template <int R, int V>
GLOSSA_VNNI void vnni_block(Index quads, const Unit* a, Index row, const Unit* b, const std::int32_t* start,
                            std::int32_t* sums) {
  __m512i sum[R][V];
#pragma GCC unroll 6
  for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) sum[i][v] = _mm512_loadu_si512(start + v * vnni_lanes);
  for (Index q = 0; q < quads; ++q, b += panel_columns) {
    __m512i right[V];
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) right[v] = _mm512_loadu_si512(b + v * vnni_lanes);
#pragma GCC unroll 6
    for (int i = 0; i < R; ++i) {
      const __m512i quad = _mm512_set1_epi32(static_cast<int>(a[i * row + q]));
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) sum[i][v] = _mm512_dpbusd_epi32(sum[i][v], quad, right[v]);
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) _mm512_storeu_si512(sums + i * panel_columns + v * vnni_lanes, sum[i][v]);
}

void vnni_multiply(Index rows, Index cols, Index quads, const Unit* a, Index row, const Unit* b,
                   const std::int32_t* start, std::int32_t* sums) {
  for_row_blocks<6>(rows, [&]<int R>(Index i) {
    const auto with = cols > 2 * vnni_lanes ? vnni_block<R, 4> : vnni_block<R, 2>;
    with(quads, a + i * row, row, b, start, sums + i * panel_columns);
  });
}

}  // namespace

const Kind& vnni() {
  static const Kind kind{.name = "vnni", .offset = 128, .lay_out = lay_out_unsigned, .multiply = vnni_multiply};
  return kind;
}

}  // namespace glossa::kernels::int8

#undef GLOSSA_VNNI
