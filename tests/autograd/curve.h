#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/grad_check.h"

namespace glossa::testing {

/// A function of one number, its derivative, and a point.
struct Curve {
  std::string name;
  std::function<double(double)> f, df;
  double x;
  std::function<bool(double)> branch = [](double) { return false; };  // the side of a kink
};

/// Compares the derivative times `factor` with differences.
inline GradCheckResult check_curve(const Curve& curve, double factor, const GradCheckOptions& options = {}) {
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
  return grad_check(function, std::vector{Tensor<double>{numbers.data(), {1}}}, options);
}

}  // namespace glossa::testing
