// Judgments of correct derivatives that differences cannot confirm: rounding hides the change, or it is too fast.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "autograd/operators.h"
#include "autograd/ops.h"
#include "tests/autograd/curve.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// Checks an op at one number.
GradCheckResult check_at(double x, const std::function<Variable<double>(const Variable<double>&)>& op) {
  return grad_check([&](auto&, auto in) { return op(in[0]); }, std::vector{Tensor<double>{&x, {1}}});
}

/// Random curves, and points at which no difference shows the derivative, or hardly any does.
class HardCurves {
 public:
  explicit HardCurves(std::uint64_t seed) : random_(seed, "hard curves") {}

  /// Fast waves, also beside a constant or a line.
  std::vector<Curve> waves() {
    const double w = power(8, 17), size = power(-3, 3), c = power(-3, 12), x = between(-2, 2), small = power(-5, 0);
    return {{"sine", [=](double v) { return size * std::sin(w * v); },
             [=](double v) { return size * w * std::cos(w * v); }, x},
            {"square of a sine", [=](double v) { return size * std::pow(std::sin(w * v), 2); },
             [=](double v) { return size * w * std::sin(w * v) * 2 * std::cos(w * v); }, x},
            {"sine and constant", [=](double v) { return c + std::sin(w * v); },
             [=](double v) { return w * std::cos(w * v); }, x},
            {"sine and line", [=](double v) { return v + small * std::sin(w * v); },
             [=](double v) { return 1 + small * w * std::cos(w * v); }, x}};
  }

  /// Rounding hides some or all changes.
  std::vector<Curve> hidden() {
    const double c = power(0, 20), size = power(-12, 12), k = power(-2, 2), x = between(-2, 2), bias = between(0, 700);
    const auto phi = [](double v) { return (1 + std::erf(v * std::sqrt(0.5))) / 2; };
    return {{"constant", [=](double v) { return c + size * std::sin(k * v); },
             [=](double v) { return size * k * std::cos(k * v); }, x},
            {"constant and line", [=](double v) { return c + size * v; }, [=](double) { return size; }, x},
            {"softplus", [=](double v) { return size * std::log(1 + std::exp(v)); },
             [=](double v) { return size / (1 + std::exp(-v)); }, between(-60, 0)},
            {"softplus with a bias", [=](double v) { return std::log(1 + std::exp(k * v - bias)); },
             [=](double v) { return k / (1 + std::exp(bias - k * v)); }, x},
            {"gelu", [=](double v) { return size * v * phi(v); },
             [=](double v) { return size * (phi(v) + v * std::exp(-v * v / 2) / std::sqrt(2 * std::numbers::pi)); },
             between(-12, 12)},
            {"tanh", [=](double v) { return size * std::tanh(k * v); },
             [=](double v) { return size * k / std::pow(std::cosh(k * v), 2); }, 50 * x},
            {"saturation", [=](double v) { return size * (1 - std::exp(-v)); },
             [=](double v) { return size * std::exp(-v); }, 100 * x},
            {"root", [=](double v) { return std::sqrt(1 - std::pow(std::tanh(v), 2)); },
             [=](double v) { return -std::tanh(v) / std::cosh(v); }, 12 * x},
            {"relu and constant", [](double v) { return 1 + std::max(v, 0.0); }, [](double v) { return v > 0; },
             power(-17, 0), [](double v) { return v > 0; }}};
  }

  /// Numbers that nearly overflow or underflow.
  std::vector<Curve> extreme() {
    const double size = power(-323, 300), unit = power(-300, 300), x = between(-2, 2);
    return {{"size", [=](double v) { return size * std::sin(v); }, [=](double v) { return size * std::cos(v); }, x},
            {"unit", [=](double v) { return std::sin(v / unit); }, [=](double v) { return std::cos(v / unit) / unit; },
             unit * x},
            {"cube", [](double v) { return v * v * v; }, [](double v) { return 3 * v * v; }, power(-110, 100)},
            {"exp", [](double v) { return std::exp(v); }, [](double v) { return std::exp(v); }, between(-745, 709)}};
  }

 private:
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }

  /// 10 to the power of a random number.
  double power(double low, double high) { return std::pow(10, between(low, high)); }

  RandomStream random_;
};

}  // namespace

TEST_CASE("a correct derivative is undecided if rounding hides every change") {
  for (const Curve& curve :
       {Curve{"huge constant", [](double x) { return 1e17 + x; }, [](double) { return 1.0; }, 0.3},
        Curve{"tiny slope", [](double x) { return 1e6 + 1e-12 * x; }, [](double) { return 1e-12; }, 0.3},
        Curve{"saturated", [](double x) { return 1 - std::exp(-x); }, [](double x) { return std::exp(-x); }, 50},
        Curve{"softplus", [](double x) { return std::log(1 + std::exp(x)); },
              [](double x) { return 1 / (1 + std::exp(-x)); }, -50},
        Curve{"softplus that changes once", [](double x) { return std::log(1 + std::exp(x)); },
              [](double x) { return 1 / (1 + std::exp(-x)); }, -37}}) {
    const GradCheckResult result = check_curve(curve, 1);
    CHECK_MESSAGE(result.judgment.doubt == Doubt::rounding, curve.name, ": ", result.describe());
  }
  for (const double x : {-8.15222, -10.0}) {
    const GradCheckResult result = check_at(x, [](auto v) { return gelu(v); });
    CHECK_MESSAGE(result.judgment.doubt == Doubt::rounding, result.describe());
  }
  const GradCheckResult beside = check_at(0.3, [](auto v) { return concat(std::vector{tanh(v), v + 1e17}, 0); });
  CHECK_MESSAGE(beside.judgment.doubt == Doubt::rounding, beside.describe());
}

TEST_CASE("a constant function with a gradient is wrong") {
  const Curve one{"one", [](double) { return 1.0; }, [](double) { return 1.0; }, 0.3};
  CHECK_EQ(check_curve(one, 1).verdict(), Verdict::wrong);
  const Curve negative{"relu", [](double x) { return std::max(x, 0.0); }, [](double) { return 1.0; }, -10};
  CHECK_EQ(check_curve(negative, 1).verdict(), Verdict::wrong);
}

TEST_CASE("an infinite derivative of a smooth function is wrong") {
  for (const double broken : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const Curve curve{"sine", [](double x) { return std::sin(x); }, [=](double) { return broken; }, 0.3};
    CHECK_EQ(check_curve(curve, 1).verdict(), Verdict::wrong);
  }
}

TEST_CASE("beside a kink, the hint is to move the point") {
  const Curve curve{"relu", [](double x) { return 1 + std::max(x, 0.0); }, [](double x) { return x > 0; }, 1e-9,
                    [](double x) { return x > 0; }};
  const GradCheckResult result = check_curve(curve, 1);
  CHECK_EQ(result.judgment.doubt, Doubt::near_kink);
  CHECK_MESSAGE(result.describe().starts_with(
                    "undecided at 1 of 1 elements: a kink is within 3e-09 of the point, and rounding errors hide the "
                    "derivative at smaller steps. Hint: move the point away from the kink (element 0"),
                result.describe());
  const Curve far{"constant", [](double x) { return 1e12 + std::abs(x); }, [](double) { return 1.0; }, 0.03,
                  [](double x) { return x > 0; }};
  CHECK_EQ(check_curve(far, 1).judgment.doubt, Doubt::rounding);
}

TEST_CASE("correct derivatives of the hardest functions are never wrong, and wrong ones never right") {
  int wrong = 0, faults = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    HardCurves curves(seed);
    for (const std::vector<Curve>& family : {curves.waves(), curves.hidden(), curves.extreme()})
      for (const Curve& curve : family) {
        const GradCheckResult correct = check_curve(curve, 1), fault = check_curve(curve, 1.1);
        CHECK_MESSAGE(correct.verdict() != Verdict::wrong, curve.name, " at ", curve.x, ": ", correct.describe());
        CHECK_MESSAGE(fault.verdict() != Verdict::right, curve.name, " at ", curve.x, ": ", fault.describe());
        wrong += fault.verdict() == Verdict::wrong;
        ++faults;
      }
  }
  MESSAGE(wrong, " of ", faults, " wrong derivatives are found");
  CHECK_GT(wrong, faults * 0.3);
}
