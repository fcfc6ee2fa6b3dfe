#pragma once

#include <bit>
#include <cstdint>

namespace glossa {

/// A number in bfloat16: the upper half of a float, with its sign, its exponent and 7 bits of its fraction.
struct Bf16 {
  std::uint16_t bits = 0;

  float widened() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  friend bool operator==(Bf16, Bf16) = default;
};

/// x in bf16, rounded to nearest, ties to even. Like the processors' instructions, turns subnormal floats into 0 with
/// their sign, and keeps NaN.
constexpr Bf16 rounded(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  constexpr std::uint32_t exponent = 0x7F800000;
  if ((bits & exponent) == 0) return {static_cast<std::uint16_t>(bits >> 16 & 0x8000)};
  if ((bits & ~0x80000000u) > exponent) return {static_cast<std::uint16_t>(bits >> 16 | 0x40)};
  return {static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)};
}

/// to[i] = from[i] for `count` numbers.
template <class Count, class T>
void widen(Count count, const Bf16* from, T* to) {
#pragma omp simd
  for (Count i = 0; i < count; ++i) to[i] = static_cast<T>(from[i].widened());
}

}  // namespace glossa
