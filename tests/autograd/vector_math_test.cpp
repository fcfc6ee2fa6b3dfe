#include "autograd/kernels/vector_math.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "autograd/ops.h"
#include "autograd/worse.h"

namespace {

using namespace glossa;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float min_normal = std::numeric_limits<float>::min();

/// |got - exact| in units of the last place of a float of that size.
double ulps(float got, double exact) {
  const int exponent = std::max(std::ilogb(exact), -126);
  return std::fabs(got - exact) / std::ldexp(1.0, exponent - 23);
}

/// The largest error over every 2053rd float of each sign from 0 to infinity; `covered(exact)` selects.
template <class F, class Exact, class Covered>
double worst_ulps(const F& f, const Exact& exact, const Covered& covered) {
  double worst = 0;
  for (std::uint32_t bits = 0; bits < 0x7F800000u; bits += 2053)
    for (const float x : {std::bit_cast<float>(bits), -std::bit_cast<float>(bits)}) {
      const double expected = exact(static_cast<double>(x));
      if (expected == 0 ? f(x) != 0 : covered(expected))
        worst = worse(worst, expected == 0 ? inf : ulps(f(x), expected));
    }
  return worst;
}

bool is_float(double exact) { return exact >= min_normal && exact <= std::numeric_limits<float>::max(); }

using Floats = std::vector<float>;
using Op = std::function<Variable<float>(const Variable<float>&)>;

struct ValueAndSlope {
  Floats value, slope;
};

ValueAndSlope run(const Op& op, Floats x) {
  Context<float> context;
  context.begin({});
  const Shape shape{static_cast<Index>(x.size())};
  const Variable<float> in = context.input({x.data(), shape}), y = op(in);
  Floats ones(x.size(), 1);
  context.backward(y, {ones.data(), shape});
  const auto copy = [](const Tensor<const float>& t) { return Floats(t.data, t.data + t.size()); };
  return {copy(y.value()), copy(in.grad())};
}

Floats evenly(float first, float last, int count) {
  Floats x(count);
  for (int i = 0; i < count; ++i) x[i] = first + (last - first) * static_cast<float>(i) / static_cast<float>(count - 1);
  return x;
}

bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

/// True if an op, which is vector code with a scalar tail, gives the bits of one element at a time.
bool same_bits_alone(const Op& op) {
  for (const float end : {100.0f, 5.0f}) {
    const Floats x = evenly(-end, end, 1003);
    const ValueAndSlope all = run(op, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const ValueAndSlope alone = run(op, {x[i]});
      if (!same_bits(alone.value[0], all.value[i]) || !same_bits(alone.slope[0], all.slope[i])) return false;
    }
  }
  return true;
}

const auto exp_float = [](float x) { return kernels::exp(x); };
const auto tanh_float = [](float x) { return kernels::tanh(x); };
const auto sigmoid_float = [](float x) { return kernels::sigmoid(x); };
const auto erf_float = [](float x) { return kernels::erf(x); };

}  // namespace

TEST_CASE("float exp, tanh, sigmoid and erf are accurate over the whole range") {
  CHECK(worst_ulps(
            exp_float, [](double x) { return std::exp(x); }, is_float) < 1.5);
  CHECK(worst_ulps(
            tanh_float, [](double x) { return std::tanh(x); }, [](double) { return true; }) < 3);
  CHECK(worst_ulps(
            sigmoid_float, [](double x) { return 1 / (1 + std::exp(-x)); }, is_float) < 2.5);
  CHECK(worst_ulps(
            erf_float, [](double x) { return std::erf(x); }, [](double) { return true; }) < 2.5);
}

TEST_CASE("float exp is correct at the ends of its range") {
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

TEST_CASE("float tanh and sigmoid are correct at the ends of their ranges") {
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

TEST_CASE("float erf is correct at the ends of its range") {
  for (const float x : {3.95f, 4.0f, std::nextafter(4.0f, inf), 1e30f, inf}) {
    CHECK(kernels::erf(x) == 1.0f);
    CHECK(kernels::erf(-x) == -1.0f);
  }
  CHECK((kernels::erf(0.0f) == 0.0f && !std::signbit(kernels::erf(0.0f))));
  CHECK((kernels::erf(-0.0f) == 0.0f && std::signbit(kernels::erf(-0.0f))));
  CHECK(std::isnan(kernels::erf(not_a_number)));
  CHECK(std::isnan(kernels::erf(-not_a_number)));
}

TEST_CASE("float erf is odd and never above 1") {
  for (std::uint32_t bits = 0; bits < 0x7F800000u; bits += 4099) {
    const float x = std::bit_cast<float>(bits), y = kernels::erf(x);
    if (!same_bits(kernels::erf(-x), -y) || y > 1) FAIL("at ", x);
  }
}

TEST_CASE("float gelu and its derivative are accurate in both tails") {
  const Floats x = evenly(-12, 12, 100003);
  const ValueAndSlope got = run([](const auto& in) { return gelu(in); }, x);
  double worst_value = 0, worst_slope = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x[i], cumulative = std::erfc(-v / std::numbers::sqrt2) / 2;
    const double density = std::exp(-v * v / 2) / std::sqrt(2 * std::numbers::pi);
    worst_value = worse(worst_value, std::fabs(got.value[i] - v * cumulative));
    worst_slope = worse(worst_slope, std::fabs(got.slope[i] - (cumulative + v * density)));
  }
  CHECK(worst_value < 6e-7);
  CHECK(worst_slope < 3e-7);
}

TEST_CASE("an element gets the same bits in a vector and alone") {
  CHECK(same_bits_alone([](const auto& x) { return exp(x); }));
  CHECK(same_bits_alone([](const auto& x) { return tanh(x); }));
  CHECK(same_bits_alone([](const auto& x) { return sigmoid(x); }));
  CHECK(same_bits_alone([](const auto& x) { return gelu(x); }));
}
