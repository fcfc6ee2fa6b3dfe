#pragma once

#include "autograd/differences.h"

namespace glossa {

/// Result of taylor_test, whose comment defines F, x, d, t and the slope.
struct TaylorResult {
  double directional = 0;               ///< <gradient, d>, the derivative along d
  Judgment judgment = {};               ///< judgment of `directional`
  double slope = 0;                     ///< measured exponent of t, the smallest over pairs of a step and its half
  double step = 0;                      ///< largest step that crosses no kink (relu, max, abs, ...)
  std::vector<double> remainders = {};  ///< |F(x + t d) - F(x) - t <gradient, d>| for t = step, step/2, ...

  bool passes() const { return judgment.verdict == Verdict::right; }

  /// Describes the result in a sentence that begins with the verdict.
  std::string describe() const;
};

/// Taylor test of a complete gradient. The derivative along a random direction d must equal differences of F (see
/// judge_derivative). The remainder is then
///     |F(x + t d) - F(x) - t <gradient, d>|
/// and falls as t^2 for small t; if any part of the gradient is wrong, it falls as t. The slope is this exponent of t,
/// measured at steps of at most 1/64. It may be below 2 if the third derivative of F is large. F is the Objective. d
/// moves every trainable parameter, each element by at most max(1, |x|) / sqrt(number of elements). For a linear
/// function, the remainder is only rounding, and the slope is infinite. If every step crosses a kink or a remainder is
/// not finite, the slope is 0.
///
/// Rethrows exceptions of the function. Throws Error if it returns different values in each call. Restores the store's
/// values and overwrites its gradients.
TaylorResult taylor_test(const GradCheckFunction& function, ParameterStore<double>& parameters,
                         const StepOptions& step = {.training = true});

}  // namespace glossa
