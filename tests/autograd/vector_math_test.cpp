#include "autograd/kernels/vector_math.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "autograd/worse.h"

namespace {

using namespace glossa;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float least_normal = std::numeric_limits<float>::min();

/// |got - exact| in units of the last place of a float of that size.
double ulps(float got, double exact) {
  const int exponent = std::max(std::ilogb(exact), -126);
  return std::fabs(got - exact) / std::ldexp(1.0, exponent - 23);
}

/// The largest error over every 509th float of each sign from 0 to infinity; `covered(exact)` selects.
template <class F, class Exact, class Covered>
double worst_ulps(const F& f, const Exact& exact, const Covered& covered) {
  double worst = 0;
  for (std::uint32_t bits = 0; bits < 0x7F800000u; bits += 509)
    for (const float x : {std::bit_cast<float>(bits), -std::bit_cast<float>(bits)}) {
      const double expected = exact(static_cast<double>(x));
      if (expected == 0 ? f(x) != 0 : covered(expected))
        worst = worse(worst, expected == 0 ? inf : ulps(f(x), expected));
    }
  return worst;
}

bool is_float(double exact) { return exact >= least_normal && exact <= std::numeric_limits<float>::max(); }

/// Whether a loop over f, which is vector code with a scalar tail, gives the bits of one call at a time.
template <class F>
bool same_bits_in_a_loop(const F& f) {
  std::array<float, 1003> x, y;
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = -100 + 0.2f * static_cast<float>(i) + 1e-3f * static_cast<float>(i % 7);
#pragma omp simd
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = f(x[i]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    volatile float alone = x[i];
    if (std::bit_cast<std::uint32_t>(f(alone)) != std::bit_cast<std::uint32_t>(y[i])) return false;
  }
  return true;
}

const auto exp_float = [](float x) { return kernels::exp(x); };
const auto tanh_float = [](float x) { return kernels::tanh(x); };
const auto sigmoid_float = [](float x) { return kernels::sigmoid(x); };

}  // namespace

TEST_CASE("float exp, tanh and sigmoid are accurate over the whole range") {
  CHECK(worst_ulps(
            exp_float, [](double x) { return std::exp(x); }, is_float) < 1.5);
  CHECK(worst_ulps(
            tanh_float, [](double x) { return std::tanh(x); }, [](double) { return true; }) < 3);
  CHECK(worst_ulps(
            sigmoid_float, [](double x) { return 1 / (1 + std::exp(-x)); }, is_float) < 2.5);
}

TEST_CASE("float exp at its ends") {
  CHECK(kernels::exp(0.0f) == 1.0f);
  CHECK(kernels::exp(-0.0f) == 1.0f);
  CHECK(kernels::exp(inf) == inf);
  CHECK(kernels::exp(-inf) == 0.0f);
  CHECK(std::isnan(kernels::exp(not_a_number)));
  CHECK(std::isnan(kernels::exp(-not_a_number)));
  const float last = 0x1.62e42ep6f;  // 88.72283
  CHECK(ulps(kernels::exp(last), std::exp(static_cast<double>(last))) < 1.5);
  CHECK(kernels::exp(std::nextafter(last, inf)) == inf);
  const float first = -0x1.5d589ep6f;  // -87.33654
  CHECK(ulps(kernels::exp(first), std::exp(static_cast<double>(first))) < 1.5);
  CHECK(kernels::exp(std::nextafter(first, -inf)) == 0.0f);
  CHECK(kernels::exp(-1e9f) == 0.0f);
  CHECK(kernels::exp(1e9f) == inf);
}

TEST_CASE("float tanh and sigmoid at their ends") {
  for (const float x : {10.0f, 88.0f, 1e30f, inf}) {
    CHECK(kernels::tanh(x) == 1.0f);
    CHECK(kernels::tanh(-x) == -1.0f);
  }
  CHECK((kernels::tanh(0.0f) == 0.0f && !std::signbit(kernels::tanh(0.0f))));
  CHECK((kernels::tanh(-0.0f) == 0.0f && std::signbit(kernels::tanh(-0.0f))));
  CHECK(kernels::tanh(1e-42f) == 1e-42f);
  CHECK(std::isnan(kernels::tanh(not_a_number)));
  CHECK(kernels::sigmoid(0.0f) == 0.5f);
  CHECK(kernels::sigmoid(inf) == 1.0f);
  CHECK(kernels::sigmoid(-inf) == 0.0f);
  CHECK(kernels::sigmoid(100.0f) == 1.0f);
  CHECK(kernels::sigmoid(-100.0f) == 0.0f);
  CHECK(std::isnan(kernels::sigmoid(not_a_number)));
}

TEST_CASE("a loop gives the same bits as single calls") {
  CHECK(same_bits_in_a_loop(exp_float));
  CHECK(same_bits_in_a_loop(tanh_float));
  CHECK(same_bits_in_a_loop(sigmoid_float));
}
