// Judgments of right and wrong derivatives of functions that are hard to differentiate numerically.
#include "autograd/differences.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "autograd/grad_check.h"
#include "autograd/ops.h"

using namespace glossa;

namespace {

/// A function of one number, its derivative, and a point.
struct Curve {
  std::string name;
  std::function<double(double)> f, df;
  double x;
  std::function<bool(double)> branch = [](double) { return false; };  // the side of a kink
};

/// Compares the derivative times `factor` with differences.
GradCheckResult check_curve(const Curve& curve, double factor) {
  std::vector<double> numbers{curve.x};
  const auto function = [&](Context<double>& c, std::span<const Variable<double>> in) {
    const double x = in[0].value()[0];
    const Tensor<double> y = c.tensor({1});
    y[0] = curve.f(x);
    c.add_branches(1, [&](Index) { return curve.branch(x); });
    return c.record("curve", {in[0]}, y, [&curve, factor, x](Backward<double>& back) {
      back.add(0, [&](Index i) { return back.dy()[i] * factor * curve.df(x); });
    });
  };
  return grad_check(function, std::vector{Tensor<double>{numbers.data(), {1}}});
}

/// Draws curves of all kinds: strongly curved, with a tiny epsilon, near a kink or a pole, at scales of 1e-12 to 1e12.
class Curves {
 public:
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
  RandomStream random_{1, "curves"};
  int next_ = 0;
};

}  // namespace

TEST_CASE("correct derivatives are never wrong, and a relative error of 1e-6 always is") {
  Curves curves;
  int right = 0;
  for (int number = 0; number < 270; ++number) {
    const Curve curve = curves.draw();
    INFO(curve.name, " at ", curve.x);
    const GradCheckResult correct = check_curve(curve, 1), faulty = check_curve(curve, 1 + 1e-6);
    CHECK_MESSAGE(correct.verdict() != Verdict::wrong, correct.describe());
    CHECK_MESSAGE(faulty.verdict() == Verdict::wrong, faulty.describe());
    right += correct.verdict() == Verdict::right;
  }
  CHECK_EQ(right, 270);
}

TEST_CASE("a large constant, and waves too small for any step, are undecided rather than wrong") {
  Curves curves;
  int undecided = 0;
  for (int number = 0; number < 100; ++number) {
    const double size = curves.power(-12, 12), large = curves.power(0, 12), k = curves.power(2, 9);
    for (const Curve& curve : {Curve{"constant", [=](double x) { return size * (large + std::sin(x)); },
                                     [=](double x) { return size * std::cos(x); }, 0.7},
                               Curve{"waves", [=](double x) { return size * (x + std::sin(k * x) / k); },
                                     [=](double x) { return size * (1 + std::cos(k * x)); }, 0.7}}) {
      INFO(curve.name);
      const GradCheckResult result = check_curve(curve, 1);
      CHECK_MESSAGE(result.verdict() != Verdict::wrong, result.describe());
      if (result.verdict() == Verdict::right) continue;
      ++undecided;
      CHECK_EQ(result.judgment.doubt, Doubt::rounding);
      CHECK_NE(result.describe().find("Hint: scale the input"), std::string::npos);
    }
  }
  CHECK_GT(undecided, 20);
}

TEST_CASE("on a pole nothing is decided, and the description says so") {
  const Curve curve{"pole", [](double) { return INFINITY; }, [](double) { return 1.0; }, 0};
  const GradCheckResult result = check_curve(curve, 1);
  CHECK_EQ(result.verdict(), Verdict::undecided);
  CHECK_EQ(result.judgment.doubt, Doubt::pole);
  CHECK_NE(result.describe().find("undecided at 1 of 1 elements: element 0 of input 0 [1]"), std::string::npos);
  CHECK_NE(result.describe().find("not finite near this point. Hint: move the input away"), std::string::npos);
}

TEST_CASE("a kink that the op does not report is skipped, and does not hide a wrong derivative") {
  for (const double slope : {-1.0, 0.0, 1.0, 0.7}) {
    const Curve curve{"absolute value", [](double x) { return std::abs(x) + x * x; }, [=](double) { return slope; }, 0};
    const GradCheckResult result = check_curve(curve, 1);
    CAPTURE(slope);
    CHECK_MESSAGE(result.verdict() != Verdict::wrong, result.describe());
    if (slope != 0) CHECK_EQ(result.kink_at, "element 0 of input 0");
  }
  const Curve outside{"absolute value", [](double x) { return std::abs(x); }, [](double) { return 1.3; }, 0};
  CHECK_EQ(check_curve(outside, 1).verdict(), Verdict::wrong);
  const Curve beside{"absolute value", [](double x) { return std::abs(x) + x * x; }, [](double x) { return 1 + 2 * x; },
                     1e-3};
  CHECK_EQ(check_curve(beside, 1).verdict(), Verdict::right);
  CHECK_EQ(check_curve(beside, 1 + 1e-6).verdict(), Verdict::wrong);
}
