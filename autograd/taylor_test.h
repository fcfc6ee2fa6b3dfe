#pragma once

#include "autograd/objective.h"

namespace glossa {

struct TaylorResult {
  double slope = 0;                     ///< the smallest of the slopes between one step and its half
  double step = 0;                      ///< largest step: the first whose path crosses no kink (relu, max, abs, ...)
  std::vector<double> remainders = {};  ///< |F(x + t d) - F(x) - t <gradient, d>| for t = step, step/2, ...
};

/// Taylor test of a whole gradient at once: along a random direction d the remainder
///     |F(x + t d) - F(x) - t <gradient, d>|
/// falls as t^2 if the gradient is right and as t if any part of it is wrong; the slope is that exponent. F is the
/// Objective; d moves every trainable parameter, each element by at most max(1, |x|) / sqrt(number of elements). A
/// linear function has no remainder beyond rounding: its slope is infinite. If kinks leave no room or a remainder is
/// not finite, the slope is 0.
///
/// Rethrows exceptions of the function. Restores values; overwrites gradients of the store.
TaylorResult taylor_test(const GradCheckFunction& function, ParameterStore<double>& parameters,
                         const StepOptions& step = {.training = true});

}  // namespace glossa
