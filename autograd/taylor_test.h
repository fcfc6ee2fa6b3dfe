#pragma once

#include "autograd/objective.h"

namespace glossa {

struct TaylorResult {
  double slope = 0;                     ///< smallest exponent, over all pairs of a step and half that step
  double step = 0;                      ///< largest step, small enough to cross no kink (relu, max, abs, ...)
  std::vector<double> remainders = {};  ///< |F(x + t d) - F(x) - t <gradient, d>| for t = step, step/2, ...
};

/// Taylor test of a complete gradient: along a random direction d the remainder
///     |F(x + t d) - F(x) - t <gradient, d>|
/// falls as t^2 if the gradient is right and as t if any part of it is wrong; the slope is this exponent of t. F is the
/// Objective; d moves every trainable parameter, each element by at most max(1, |x|) / sqrt(number of elements). The
/// remainder of a linear function is only rounding; the slope is then infinite. If every step crosses a kink or a
/// remainder is not finite, the slope is 0.
///
/// Rethrows exceptions of the function. Restores the store's values and overwrites its gradients.
TaylorResult taylor_test(const GradCheckFunction& function, ParameterStore<double>& parameters,
                         const StepOptions& step = {.training = true});

}  // namespace glossa
