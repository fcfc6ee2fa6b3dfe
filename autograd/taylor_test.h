#pragma once

#include "autograd/objective.h"

namespace glossa {

struct TaylorResult {
  double slope = 0;                     ///< smallest slope between a step and half that step
  double step = 0;                      ///< largest step: the first whose path crosses no kink (relu, max, abs, ...)
  std::vector<double> remainders = {};  ///< |F(x + t d) - F(x) - t <gradient, d>| for t = step, step/2, ...
};

/// Taylor test of a complete gradient: along a random direction d the remainder
///     |F(x + t d) - F(x) - t <gradient, d>|
/// falls as t^2 if the gradient is right and as t if any part of it is wrong; the slope is that exponent. F is the
/// Objective; d moves every trainable parameter, each element by at most max(1, |x|) / sqrt(number of elements). A
/// linear function has no remainder beyond rounding: its slope is infinite. If every step crosses a kink or a remainder
/// is not finite, the slope is 0.
///
/// Rethrows exceptions of the function. Restores the store's values and overwrites its gradients.
TaylorResult taylor_test(const GradCheckFunction& function, ParameterStore<double>& parameters,
                         const StepOptions& step = {.training = true});

}  // namespace glossa
