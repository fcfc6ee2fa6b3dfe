#pragma once

#include "autograd/objective.h"

namespace glossa {

struct TaylorResult {
  double slope = 0;                     ///< the smallest of the slopes between one step and its half
  double step = 0;                      ///< largest step: the first whose path crosses no kink (relu, max, abs, ...)
  std::vector<double> remainders = {};  ///< |F(x + t d) - F(x) - t <gradient, d>| for t = step, step/2, ...
};

/// Taylor's test of a whole gradient at once: along a random direction d the remainder
///     |F(x + t d) - F(x) - t <gradient, d>|
/// falls as t^2 if the gradient is right and as t if any part of it is wrong; the slope is that exponent. F is the
/// Objective; d moves every trainable parameter, each element by at most max(1, |x|) / sqrt(number of elements).
/// A linear function has no remainder beyond rounding: its slope is infinite. Where kinks leave no room, and where a
/// remainder is not finite, the slope is 0.
///
/// Throws what the function throws. Values are restored; gradients of the store are overwritten.
TaylorResult taylor_test(const GradCheckFunction& function, ParameterStore<double>& parameters,
                         const StepOptions& step = {.training = true});

}  // namespace glossa
