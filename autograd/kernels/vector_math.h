#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

/// exp, tanh, sigmoid and erf. In float, they have no branches or calls, so compilers vectorize loops over them. The
/// bits of a result depend neither on its position in a vector nor on whether the loop's tail computes it. In double,
/// they are the standard library's functions, because double serves gradient checks, not speed.
namespace glossa::kernels {

/// `when` ? a : b, computed with a mask. For `?:`, the compiler may emit a branch, which prevents vectorizing.
inline float select(bool when, float a, float b) {
  const std::uint32_t mask = -static_cast<std::uint32_t>(when);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(a) & mask) | (std::bit_cast<std::uint32_t>(b) & ~mask));
}

inline double select(bool when, double a, double b) { return when ? a : b; }

/// a b + c. If the machine has a fused multiply-add, the sum is rounded only once, and a polynomial takes half the
/// work.
inline float multiply_add(float a, float b, float c) {
#ifdef FP_FAST_FMAF
  return std::fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// e^x = 2^n (1 + q) with an integer n and |x - n ln 2| <= ln(2) / 2. The member `n` is stored shifted, ready for
/// adding to a float's exponent bits. Valid for |x| < 127 ln 2. Other arguments give arbitrary numbers; NaN gives q =
/// NaN.
struct ExpParts {
  float q;
  std::uint32_t n;
};

inline ExpParts exp_parts(float x) {
  constexpr float round_to_integer = 0x1.8p23f;  // adding it pushes the fraction out of the mantissa
  const float shifted = multiply_add(x, 0x1.715476p0f, round_to_integer);
  const float n = shifted - round_to_integer;
  // ln 2 in two parts (Cody and Waite 1980). The larger part has so few bits that its product with n is exact.
  const float r = multiply_add(n, 0x1.bd0106p-13f, multiply_add(n, -0x1.63p-1f, x));
  // (e^r - 1 - r) / r^2, fitted so that the error of e^r has equal ripples, at most 3.2e-9.
  float p = 0x1.6db4e8p-10f;
  p = multiply_add(p, r, 0x1.123bdep-7f);
  p = multiply_add(p, r, 0x1.55545ep-5f);
  p = multiply_add(p, r, 0x1.55548ep-3f);
  p = multiply_add(p, r, 0.5f);
  return {multiply_add(r * r, p, r), std::bit_cast<std::uint32_t>(shifted) << 23};
}

/// e^x to 1.5 units in the last place. A result below the smallest normal number (x < -87.33) becomes 0, because
/// denormal numbers are slow on many processors.
inline float exp(float x) {
  const ExpParts parts = exp_parts(x);
  float y = std::bit_cast<float>(std::bit_cast<std::uint32_t>(1 + parts.q) + parts.n);
  y = select(x > 0x1.62e42ep6f, std::numeric_limits<float>::infinity(), y);  // ln of the largest float
  y = select(x < -0x1.5d589ep6f, 0.0f, y);
  return select(x != x, x, y);
}

/// tanh x to 3 units in the last place: m / (m + 2) with m = e^(2|x|) - 1. To avoid cancellation, m is computed from
/// ExpParts::q.
inline float tanh(float x) {
  const float magnitude = std::fabs(x);
  const ExpParts parts = exp_parts(2 * select(magnitude > 9.5f, 9.5f, magnitude));  // tanh 9.5 rounds to 1
  const float power = std::bit_cast<float>(0x3F800000u + parts.n);
  const float m = multiply_add(power, parts.q, power - 1);
  return std::copysign(m / (m + 2), x);
}

/// 1 / (1 + e^-x) to 2.5 units in the last place; 0 if e^-x overflows (x < -88.72).
inline float sigmoid(float x) { return 1 / (1 + exp(-x)); }

/// erf x to 2.5 units in the last place: 1 - e^-g with g = -ln erfc |x|. g is smooth from 0 on, so one polynomial
/// suffices. To avoid cancellation near 0, the result is computed from ExpParts::q.
inline float erf(float x) {
  const float magnitude = std::fabs(x);
  const float t = select(magnitude > 4.0f, 4.0f, magnitude);  // erf 4 rounds to 1
  // g / t - 1 on [0, 4], fitted so that the relative error of erf has equal ripples, at most 4.3e-9. Terms are summed
  // in pairs (Estrin 1960), because a vector unit would stall on a chain of nine dependent operations. The 1 is added
  // last to keep rounding errors small.
  const float t2 = t * t, t4 = t2 * t2;
  const float low =
      multiply_add(t2, multiply_add(t, -0x1.39b7cap-6f, 0x1.a4f8c4p-4f), multiply_add(t, 0x1.45f3p-1f, 0x1.06eba8p-3f));
  const float high = multiply_add(t2, multiply_add(t, 0x1.f28ac4p-14f, -0x1.4e2996p-11f),
                                  multiply_add(t, 0x1.b744ccp-10f, -0x1.637a12p-13f));
  const float p = multiply_add(t4, multiply_add(t4, -0x1.3b027p-17f, high), low);
  const ExpParts parts = exp_parts(-multiply_add(p, t, t));
  const float power = std::bit_cast<float>(0x3F800000u + parts.n);
  return std::copysign(multiply_add(power, parts.q, power - 1), x);
}

inline double exp(double x) { return std::exp(x); }
inline double erf(double x) { return std::erf(x); }
inline double tanh(double x) { return std::tanh(x); }
inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace glossa::kernels
