// Judgments of right and wrong derivatives of functions that are hard to differentiate numerically.
#include "autograd/differences.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "autograd/ops.h"
#include "tests/autograd/curve.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

const double infinite = -std::numeric_limits<double>::infinity();

/// Draws curves of all kinds: strongly curved, with a tiny epsilon, near a kink or a pole, at scales of 1e-12 to 1e12.
class Curves {
 public:
  explicit Curves(std::uint64_t seed) : random_(seed, "curves") {}

  Curve draw() {
    const double size = power(-12, 12), u = 4 * random_.uniform() - 2;
    switch (next_++ % 9) {
      case 0: {
        const double k = power(-2, 2);
        return {"exp", [=](double x) { return size * std::exp(k * x); },
                [=](double x) { return size * k * std::exp(k * x); }, u};
      }
      case 1: {
        const double k = power(0, 5);
        return {"fast sine", [=](double x) { return size * std::sin(k * x); },
                [=](double x) { return size * k * std::cos(k * x); }, u};
      }
      case 2: {
        const double unit = power(-12, 12);
        return {"tanh at a scale", [=](double x) { return size * std::tanh(x / unit); },
                [=](double x) { return size / unit * (1 - std::pow(std::tanh(x / unit), 2)); }, u * unit};
      }
      case 3: {
        const double e = power(-12, 0);
        return {"root of a square with an epsilon", [=](double x) { return size * std::sqrt(x * x + e); },
                [=](double x) { return size * x / std::sqrt(x * x + e); }, u * std::sqrt(e)};
      }
      case 4: {
        const double e = power(-12, -1);
        return {"RMS norm with an epsilon", [=](double x) { return size * x / std::sqrt(x * x / 4 + e); },
                [=](double x) { return size * e / std::pow(x * x / 4 + e, 1.5); }, u * std::sqrt(e) * power(-3, 1)};
      }
      case 5:
        return {"near a pole", [=](double x) { return size / x; }, [=](double x) { return -size / (x * x); },
                power(-8, 0)};
      case 6:
        return {"near the border of the domain", [=](double x) { return size * std::log(x); },
                [=](double x) { return size / x; }, power(-8, 0)};
      case 7:
        return {"near a kink", [=](double x) { return size * (std::abs(x) + x * x); },
                [=](double x) { return size * (1 + 2 * x); }, power(-10, 0), [](double x) { return x > 0; }};
      default:
        return {"polynomial", [=](double x) { return size * (std::pow(x, 5) - 3 * x * x + x); },
                [=](double x) { return size * (5 * std::pow(x, 4) - 6 * x + 1); }, u};
    }
  }

  /// 10 to the power of a random number.
  double power(double low, double high) { return std::pow(10, low + (high - low) * random_.uniform()); }

 private:
  RandomStream random_;
  int next_ = 0;
};

}  // namespace

TEST_CASE("correct derivatives are never wrong, and a relative error of 1e-6 is") {
  int right = 0, wrong = 0;
  constexpr int curves = 1800;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Curves source(seed);
    for (int number = 0; number < curves / 10; ++number) {
      const Curve curve = source.draw();
      INFO(curve.name, " at ", curve.x);
      const GradCheckResult correct = check_curve(curve, 1), faulty = check_curve(curve, 1 + 1e-6);
      CHECK_MESSAGE(correct.verdict() != Verdict::wrong, correct.describe());
      CHECK_MESSAGE(faulty.verdict() != Verdict::right, faulty.describe());
      right += correct.verdict() == Verdict::right;
      wrong += faulty.verdict() == Verdict::wrong;
    }
  }
  MESSAGE(right, " of ", curves, " correct derivatives are right; ", wrong, " with an error of 1e-6 are wrong");
  CHECK_GE(right, curves * 0.99);
  CHECK_GE(wrong, curves * 0.99);
}

TEST_CASE("a large constant, and waves too small for any step, are undecided rather than wrong") {
  Curves curves(1);
  int rounding = 0, scale = 0;
  for (int number = 0; number < 100; ++number) {
    const double size = curves.power(-12, 12), large = curves.power(0, 12), k = curves.power(2, 9);
    for (const Curve& curve : {Curve{"constant", [=](double x) { return size * (large + std::sin(x)); },
                                     [=](double x) { return size * std::cos(x); }, 0.7},
                               Curve{"waves", [=](double x) { return size * (x + std::sin(k * x) / k); },
                                     [=](double x) { return size * (1 + std::cos(k * x)); }, 0.7}}) {
      INFO(curve.name);
      const GradCheckResult result = check_curve(curve, 1);
      CHECK_MESSAGE(result.verdict() != Verdict::wrong, result.describe());
      rounding += result.judgment.doubt == Doubt::rounding;
      scale += result.judgment.doubt == Doubt::small_scale;
    }
  }
  CHECK_GT(rounding, 20);
  CHECK_GT(scale, 5);
}

TEST_CASE("a function computed in float is undecided, and right with a larger limit") {
  Curves curves(1);
  for (int number = 0; number < 100; ++number) {
    const Curve exact = curves.draw();
    const Curve curve{"float", [&](double x) { return double(float(exact.f(x) / 1e4)) * 1e4; }, exact.df, exact.x};
    INFO(exact.name, " at ", curve.x);
    CHECK_MESSAGE(check_curve(curve, 1).verdict() != Verdict::wrong, check_curve(curve, 1).describe());
  }
  const Curve curve{"float", [](double x) { return double(std::exp(float(x))); }, [](double x) { return std::exp(x); },
                    1.2};
  CHECK_EQ(check_curve(curve, 1).judgment.doubt, Doubt::rounding);
  CHECK_EQ(check_curve(curve, 1, {.limit = 1e-3}).verdict(), Verdict::right);
  CHECK_EQ(check_curve(curve, 1.01, {.limit = 1e-3}).verdict(), Verdict::wrong);
}

TEST_CASE("waves whose period is a power of two do not look straight") {
  for (int k = 4; k < 10; ++k) {
    const double w = std::ldexp(3.14159265358979323846, k);
    const Curve curve{"wave", [=](double x) { return x + std::sin(w * x); },
                      [=](double x) { return 1 + w * std::cos(w * x); }, 0.3};
    CAPTURE(k);
    CHECK_EQ(check_curve(curve, 1).verdict(), Verdict::right);
    const Curve straight{"wave", curve.f, [](double) { return 1.0; }, 0.3};
    CHECK_EQ(check_curve(straight, 1).verdict(), Verdict::wrong);
  }
}

TEST_CASE("gradients of zero prove nothing, and are not wrong") {
  std::vector<double> x{0.3, -0.7, 1.2, 0, 0, 0};
  const std::vector<Tensor<double>> inputs{Tensor<double>{x.data(), {2, 3}}};
  const auto zero = [&](auto function) {
    return grad_check([&](auto&, std::span<const Variable<double>> in) { return function(in[0]); }, inputs);
  };
  for (const GradCheckResult& result : {zero([](auto v) { return sum(softmax(v), -1); }),
                                        zero([](auto v) { return add(sigmoid(v), sigmoid(scale(v, -1.0))); }),
                                        zero([](auto v) { return square(scale(v, 0.0)); })})
    CHECK_MESSAGE(result.verdict() == Verdict::undecided, result.describe());
  CHECK_EQ(
      zero([](auto v) { return scale(v, 0.0); }).describe(),
      "undecided: every derivative is 0, which proves nothing (6 elements compared). Hint: check at another point");
  const Curve missing{"sine", [](double v) { return std::sin(v); }, [](double) { return 0.0; }, 0.3};
  CHECK_EQ(check_curve(missing, 1).verdict(), Verdict::wrong);
}

TEST_CASE("a wrong derivative beside a constant that hides it is not right") {
  for (double large = 1; large < 1e20; large *= 10) {
    const Curve curve{"constant", [=](double x) { return large + x; }, [](double) { return -1.0; }, 0.3};
    CAPTURE(large);
    CHECK_NE(check_curve(curve, 1).verdict(), Verdict::right);
  }
}

TEST_CASE("a large gradient does not hide faults of a small one") {
  std::vector<double> a{0.5}, b{0.5};
  for (const auto& [large, fault] : {std::pair{1e12, 0.0}, {1e6, 1e-6}, {1e12, -1.0}}) {
    const double slope = large, factor = 1 + fault;
    const auto function = [=](Context<double>& c, std::span<const Variable<double>> in) {
      const double x = in[0].value()[0], z = in[1].value()[0];
      const Tensor<double> y = c.tensor({2});
      y[0] = slope * x;
      y[1] = std::sin(z);
      return c.record("two", {in[0], in[1]}, y, [=](Backward<double>& back) {
        back.add(0, [&](Index i) { return i == 0 ? back.dy()[0] * slope : 0; });
        back.add(1, [&](Index i) { return i == 1 ? back.dy()[1] * std::cos(z) * factor : 0; });
      });
    };
    const GradCheckResult result =
        grad_check(function, std::vector{Tensor<double>{a.data(), {1}}, Tensor<double>{b.data(), {1}}});
    CHECK_MESSAGE(result.verdict() == (fault == 0 ? Verdict::right : Verdict::wrong), result.describe());
  }
}

TEST_CASE("on a pole nothing is decided, and the description says so") {
  const Curve curve{"pole", [](double x) { return 1 / x; }, [](double) { return 1.0; }, 0};
  const GradCheckResult result = check_curve(curve, 1);
  CHECK_EQ(result.verdict(), Verdict::undecided);
  CHECK_EQ(result.judgment.doubt, Doubt::pole);
  CHECK(result.describe().starts_with(
      "undecided at 1 of 1 elements: the function is not finite near this point. Hint: check at another point (element "
      "0 of input 0 [1] has gradient"));
}

TEST_CASE("an output that is infinite everywhere does not matter, and neither does an infinite input") {
  std::vector<double> x{0.5, -std::numeric_limits<double>::infinity()};
  const auto masked = [](Context<double>& c, std::span<const Variable<double>> in) {
    return concat({exp(in[0]), c.constant({&std::as_const(infinite), {1}})}, 0);
  };
  const GradCheckResult result = grad_check(masked, std::vector{Tensor<double>{x.data(), {2}}});
  CHECK_MESSAGE(result.verdict() == Verdict::right, result.describe());
}

TEST_CASE("a kink that larger steps jump over does not mislead") {
  const Curve curve{"ramp", [](double x) { return std::exp(x) + 500 * (std::clamp(x, 0.01, 0.02) - 0.01); },
                    [](double x) { return std::exp(x); }, 0, [](double x) { return 0.01 < x && x < 0.02; }};
  const GradCheckResult result = check_curve(curve, 1);
  CHECK_MESSAGE(result.verdict() == Verdict::right, result.describe());
  CHECK_EQ(check_curve(curve, 1 + 1e-6).verdict(), Verdict::wrong);
}

TEST_CASE("a smooth function does not seem to have a kink where rounding hides that it has none") {
  for (double large = 1; large < 1e20; large *= 10) {
    const Curve curve{"constant", [=](double x) { return large + x * x; }, [](double x) { return 2.002 * x; }, 0.3};
    CAPTURE(large);
    CHECK_NE(check_curve(curve, 1).judgment.doubt, Doubt::unreported_kink);
  }
}

TEST_CASE("a kink that the op does not report is undecided, and does not hide a wrong derivative") {
  for (const double slope : {-1.0, 1.0, 0.7}) {
    const Curve curve{"absolute value", [](double x) { return std::abs(x) + x * x; }, [=](double) { return slope; }, 0};
    CAPTURE(slope);
    CHECK_EQ(check_curve(curve, 1).judgment.doubt, Doubt::unreported_kink);
  }
  const Curve outside{"absolute value", [](double x) { return std::abs(x); }, [](double) { return 1.3; }, 0};
  CHECK_EQ(check_curve(outside, 1).verdict(), Verdict::wrong);
  const Curve beside{"absolute value", [](double x) { return std::abs(x) + x * x; }, [](double x) { return 1 + 2 * x; },
                     1e-3};
  CHECK_EQ(check_curve(beside, 1).verdict(), Verdict::right);
  CHECK_EQ(check_curve(beside, 1 + 1e-6).verdict(), Verdict::wrong);
  for (const double e : {1e-4, 1e-8, 1e-12}) {  // smooth, though it looks like a kink from afar
    const Curve smooth{"smooth absolute value", [=](double x) { return std::sqrt(x * x + e); },
                       [](double) { return 0.9; }, 0};
    CHECK_EQ(check_curve(smooth, 1).verdict(), Verdict::wrong);
  }
}

TEST_CASE("a large gradient in the same tensor does not hide a wrong small one") {
  std::vector<double> x{0.5, 0.7};
  const auto function = [](Context<double>& c, std::span<const Variable<double>> in) {
    const Tensor<const double> v = in[0].value();
    const Tensor<double> y = c.tensor({2});
    y[0] = 1e6 * v[0];
    y[1] = std::sin(v[1]);
    return c.record("two", {in[0]}, y, [v](Backward<double>& back) {
      back.add(0, [&](Index i) { return back.dy()[i] * (i == 0 ? 1e6 : 1.001 * std::cos(v[1])); });
    });
  };
  const GradCheckResult result = grad_check(function, std::vector{Tensor<double>{x.data(), {2}}});
  CHECK_MESSAGE(result.verdict() == Verdict::wrong, result.describe());
}

TEST_CASE("a pole at the point itself is undecided although the derivative is infinite") {
  std::vector<double> x{0, 4};
  const GradCheckResult result =
      grad_check([](auto&, auto in) { return sqrt(in[0]); }, std::vector{Tensor<double>{x.data(), {2}}});
  CHECK_MESSAGE(result.judgment.doubt == Doubt::pole, result.describe());
}

TEST_CASE("a derivative that is not a number is wrong near a pole, and noticed if it is not sampled") {
  const Curve near{"log", [](double x) { return std::log(x); }, [](double) { return NAN; }, 0.01};
  CHECK_EQ(check_curve(near, 1).verdict(), Verdict::wrong);
  std::vector<double> x{0, 4, 9, 16};
  const GradCheckResult result = grad_check([](auto&, auto in) { return sqrt(in[0]); },
                                            std::vector{Tensor<double>{x.data(), {4}}}, {.max_elements = 1});
  CHECK_FALSE(result.passes());
}

TEST_CASE("a function that returns other values each time is refused") {
  std::vector<double> x{1};
  double calls = 0;
  const auto counting = [&](auto&, auto in) { return scale(in[0], ++calls); };
  CHECK_THROWS_WITH_AS(grad_check(counting, std::vector{Tensor<double>{x.data(), {1}}}),
                       doctest::Contains("same values whenever it is called"), Error);
}

TEST_CASE("a function that returns another number of values each time is refused") {
  std::vector<double> x{1};
  Index calls = 0;
  const auto growing = [&](auto&, auto in) { return concat(std::vector(++calls, in[0]), 0); };
  CHECK_THROWS_WITH_AS(grad_check(growing, std::vector{Tensor<double>{x.data(), {1}}}),
                       doctest::Contains("as many values whenever it is called"), Error);
}

TEST_CASE("a parameter without effect is named") {
  ParameterStore<double> store;
  const auto ones = [](std::span<double> values, const Shape&, RandomStream&) { std::ranges::fill(values, 1.0); };
  Parameter<double>& weight = store.declare("weight", {2}, ones);
  store.declare("forgotten", {2}, ones);
  store.allocate(1);
  const GradCheckResult result =
      grad_check([&](Context<double>& c, auto) { return exp(c.parameter(weight)); }, {}, store);
  CHECK_EQ(result.verdict(), Verdict::undecided);
  CHECK_EQ(result.unused, "forgotten");
}
