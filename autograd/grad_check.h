#pragma once

#include "autograd/objective.h"

namespace glossa {

struct GradCheckOptions {
  double floor = 0.1;                    // see worst_error; 0.1 for ops and layers, 0.01 for whole models
  double step = 0x1p-10;                 // h / max(1, |x|) before it is rounded up to a power of two
  std::vector<bool> requires_grad = {};  // one per input; empty: all
  Index max_elements = 0;                // per tensor; 0: every element. Else this many, always the same ones
  double second_step = 0;                // first step of the second witness, relative as `step`; 0: no second witness
  StepOptions context = {.training = true};
};

struct GradCheckResult {
  double worst_error = 0;  ///< max over elements of |a - n| / max(|a|, |n|, floor); infinite for any a, n not finite
  double loose_error = 0;  ///< largest |a - n| / (1e-5 + 1e-3 |n|): up to 1 PyTorch's gradcheck would pass it
  std::string worst_name;  ///< "input 1", or the parameter's name
  Shape worst_shape;
  Index worst_index = 0;  ///< flat
  double analytic = 0;    ///< a there: from backward
  double numeric = 0;     ///< n there: from differences; NaN if a is not finite
  double largest = 0;     ///< largest |n|: a check of zeros only proves nothing
  Index elements = 0;     ///< compared
  Index kinks = 0;        ///< of these, repeated with a smaller step because of a kink
  Index skipped = 0;      ///< not compared: nearer to a kink than the smallest step

  // The second witness, if requested:
  double second_error = 0;       ///< as worst_error, against extrapolated differences
  std::string second_name = {};  ///< where
  Index second_index = 0;
  Index second_elements = 0;  ///< compared with it: those far enough from the next kink
  double coarse = 0;          ///< sum over elements of the stencil's error with a step of second_step / 8
  double fine = 0;            ///< sum with half that step: a sixteenth for a smooth function

  /// True if something was compared and nothing differs by more than `limit`.
  bool passes(double limit) const { return elements > 0 && worst_error <= limit; }

  /// A sentence reporting the difference and its size.
  std::string describe() const;
};

/// Compares backward with differences of the Objective, in double: a 5-point stencil
///     n = (8 (F(x+h) - F(x-h)) - (F(x+2h) - F(x-2h))) / (12 h),  error O(h^4)  (Abramowitz and Stegun 25.3.6),
/// h a power of two near 1e-3 max(1, |x|). A stencil whose points take other branches than x does (relu, max, abs, ...)
/// has crossed a kink: it is retried with h / 8, at most three times, then skipped. The second witness takes central
/// differences with steps of 1, 1/2, ... 1/128 `second_step` and extrapolates them to a step of 0 (Richardson; the
/// entry of the table that moved least, as in Ridders 1982): error about 1e-13 where the function is smooth.
/// docs/examples/own_op.cpp checks a user-defined op.
///
/// Rethrows exceptions of the function; throws Error if options.requires_grad and `inputs` differ in length.
GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           const GradCheckOptions& options = {});

/// Also checks every trainable parameter of a layer or model, which the overload above does not. Restores values;
/// overwrites gradients of the store.
GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           ParameterStore<double>& parameters, const GradCheckOptions& options = {});

}  // namespace glossa
