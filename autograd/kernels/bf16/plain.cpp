#include <algorithm>
#include <bit>

#include "autograd/kernels/bf16/kind.h"

namespace glossa::kernels::bf16 {

namespace {

/// Turns a subnormal x into 0 with its sign, as the processors' instructions do before and after adding to a sum.
float flushed(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits & 0x7F800000) == 0 ? std::bit_cast<float>(bits & 0x80000000) : x;
}

float first(Pair x) { return std::bit_cast<float>(x << 16); }
float second(Pair x) { return std::bit_cast<float>(x & 0xFFFF0000); }

void plain_round(Index count, const float* from, Bf16* to) { std::transform(from, from + count, to, rounded); }

void plain_interleave(Index count, const Bf16* even, const Bf16* odd, Pair* to) {
  for (Index i = 0; i < count; ++i) to[i] = pair_of(even[i], odd ? odd[i] : Bf16{});
}

void plain_round_interleave(Index count, const float* even, const float* odd, Pair* to) {
  for (Index i = 0; i < count; ++i) to[i] = pair_of(rounded(even[i]), odd ? rounded(odd[i]) : Bf16{});
}

void plain_transpose(Index rows, Index cols, const Pair* from, Index from_stride, Pair* to, Index to_stride) {
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) to[j * to_stride + i] = from[i * from_stride + j];
}

/// Adds a pair's products to a sum one after the other, the second first, as AVX512-BF16 does. The product of two bf16
/// numbers is exact in float.
void plain_multiply(Index rows, Index cols, Index pairs, const LeftPairs& a, const Pair* b, bool add, float* c,
                    Index stride) {
  for (Index i = 0; i < rows; ++i) {
    float sum[panel_columns] = {};
    if (add) std::transform(c + i * stride, c + i * stride + cols, sum, flushed);
    for (Index p = 0; p < pairs; ++p) {
      const Pair left = a.data[i * a.row + p * a.pair];
      const Pair* const right = b + p * panel_columns;
#pragma omp simd
      for (Index j = 0; j < panel_columns; ++j) {
        const float with_second = flushed(sum[j] + second(left) * second(right[j]));
        sum[j] = flushed(with_second + first(left) * first(right[j]));
      }
    }
    std::copy_n(sum, cols, c + i * stride);
  }
}

}  // namespace

const Kind& plain() {
  static const Kind kind{.name = "plain",
                         .left_in_rows = false,
                         .round = plain_round,
                         .interleave = plain_interleave,
                         .round_interleave = plain_round_interleave,
                         .transpose = plain_transpose,
                         .multiply = plain_multiply};
  return kind;
}

}  // namespace glossa::kernels::bf16
