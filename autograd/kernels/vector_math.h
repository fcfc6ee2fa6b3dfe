#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

/// exp, tanh and sigmoid without branches or calls in float, so that a loop over them becomes vector code and every
/// element gets the same bits wherever in a vector, or in the tail of the loop, it lies. In double they are the
/// standard library's: those serve the gradient checks, not speed.
namespace glossa::kernels {

/// `when` ? a : b by a mask. The operator leaves the compiler free to make a branch, which keeps it from vectorising.
inline float select(bool when, float a, float b) {
  const std::uint32_t mask = -static_cast<std::uint32_t>(when);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(a) & mask) | (std::bit_cast<std::uint32_t>(b) & ~mask));
}

inline double select(bool when, double a, double b) { return when ? a : b; }

/// e^x = 2^n (1 + q) with an integer n and |x - n ln 2| <= ln(2) / 2. `n` is given in place for adding it to the
/// exponent bits of a float. For |x| < 127 ln 2; other arguments give some number, NaN gives q = NaN.
struct ExpParts {
  float q;
  std::uint32_t n;
};

inline ExpParts exp_parts(float x) {
  constexpr float round_to_integer = 0x1.8p23f;  // added, it pushes the fraction out of the mantissa
  const float shifted = x * 0x1.715476p0f + round_to_integer;
  const float n = shifted - round_to_integer;
  // ln 2 in two parts (Cody and Waite 1980): the first has few enough bits for n times it to be exact.
  const float r = (x - n * 0x1.63p-1f) - n * -0x1.bd0106p-13f;
  // (e^r - 1 - r) / r^2, fitted to equal ripples of e^r: 3.2e-9 at most.
  float p = 0x1.6db4e8p-10f;
  p = p * r + 0x1.123bdep-7f;
  p = p * r + 0x1.55545ep-5f;
  p = p * r + 0x1.55548ep-3f;
  p = p * r + 0.5f;
  return {r + r * r * p, std::bit_cast<std::uint32_t>(shifted) << 23};
}

/// e^x to 1.5 units in the last place. Where the result would be below the least normal number (x < -87.33) it is 0:
/// denormal numbers are slow on many processors.
inline float exp(float x) {
  const ExpParts parts = exp_parts(x);
  float y = std::bit_cast<float>(std::bit_cast<std::uint32_t>(1 + parts.q) + parts.n);
  y = select(x > 0x1.62e42ep6f, std::numeric_limits<float>::infinity(), y);  // ln of the largest float
  y = select(x < -0x1.5d589ep6f, 0.0f, y);
  return select(x != x, x, y);
}

/// tanh x to 3 units in the last place: m / (m + 2) with m = e^(2|x|) - 1, taken from q so that nothing cancels.
inline float tanh(float x) {
  const float magnitude = std::fabs(x);
  const ExpParts parts = exp_parts(2 * select(magnitude > 9.5f, 9.5f, magnitude));  // tanh 9.5 rounds to 1
  const float power = std::bit_cast<float>(0x3F800000u + parts.n);
  const float m = power * parts.q + (power - 1);
  return std::copysign(m / (m + 2), x);
}

/// 1 / (1 + e^-x) to 2.5 units in the last place; 0 where e^-x overflows (x < -88.72).
inline float sigmoid(float x) { return 1 / (1 + exp(-x)); }

inline double exp(double x) { return std::exp(x); }
inline double tanh(double x) { return std::tanh(x); }
inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace glossa::kernels
