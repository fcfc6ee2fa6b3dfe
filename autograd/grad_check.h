#pragma once

#include "autograd/objective.h"

namespace glossa {

struct GradCheckOptions {
  double floor = 0.1;                    // smallest denominator of worst_error; 0.1 for ops and layers, 0.01 for models
  double step = 0x1p-10;                 // step h divided by max(1, |x|), before h is rounded up to a power of two
  std::vector<bool> requires_grad = {};  // one flag per input; empty: all true
  Index max_elements = 0;                // number of elements checked per tensor, always the same ones; 0: all
  double second_step = 0;  // largest step of the second witness, relative like `step`; 0: no second witness
  StepOptions context = {.training = true};
};

/// Result of a gradient check. For each element, `a` is the gradient from backward and `n` the one from differences.
struct GradCheckResult {
  double worst_error = 0;  ///< largest |a - n| / max(|a|, |n|, floor); infinite if any a or n is not finite
  double loose_error = 0;  ///< largest |a - n| / (1e-5 + 1e-3 |n|): PyTorch's gradcheck accepts up to 1
  std::string worst_name;  ///< tensor with the worst error: "input 1", or the parameter's name
  Shape worst_shape;
  Index worst_index = 0;  ///< flat index of the element with that error
  double analytic = 0;    ///< a of that element
  double numeric = 0;     ///< n of that element; NaN if a is not finite
  double largest = 0;     ///< largest |n|: if 0, the check proves nothing
  Index elements = 0;     ///< number of elements compared
  Index kinks = 0;        ///< number of compared elements that took a smaller step because of a kink
  Index skipped = 0;      ///< number of elements not compared, because even the smallest step crosses a kink
  std::string unused;     ///< first input that affects no result and no gradient; if set, the check proves nothing

  // The second witness, if requested:
  double second_error = 0;       ///< as worst_error, but n is from extrapolated differences
  std::string second_name = {};  ///< tensor whose error is second_error
  Index second_index = 0;        ///< flat index of the element with that error
  Index second_elements = 0;     ///< number of elements compared by the second witness, those far enough from any kink
  double coarse = 0;             ///< error of a 5-point stencil of step second_step / 8, summed over elements
  double fine = 0;               ///< as `coarse`, with half the step: a sixteenth of `coarse` for a smooth function

  /// True if something was compared, nothing differs by more than `limit`, and no input is unused.
  bool passes(double limit) const { return elements > 0 && worst_error <= limit && unused.empty(); }

  /// Returns a sentence about the unused input, if any. Otherwise describes the worst element with its two gradients,
  /// its error and the counts; for NaN, adds a hint about scratch.
  std::string describe() const;
};

/// Compares backward with differences of the Objective F, in double. The first witness is a 5-point stencil
///     n = (8 (F(x+h) - F(x-h)) - (F(x+2h) - F(x-2h))) / (12 h),  error O(h^4)  (Abramowitz and Stegun 25.3.6),
/// where h is a power of two near 1e-3 max(1, |x|). A stencil whose points take other branches than x does (relu, max,
/// abs, ...) has crossed a kink. The stencil is retried with h / 8, at most three times; then the element is skipped.
/// The second witness takes central differences with steps of 1, 1/2, ..., 1/128 times `second_step` and extrapolates
/// them to a step of 0 (Richardson). From the extrapolation table it takes the entry that changed least (Ridders 1982).
/// The error of the second witness is about 1e-13 where the function is smooth. docs/examples/own_op.cpp checks a
/// user-defined op.
///
/// Rethrows exceptions of the function; throws Error if options.requires_grad and `inputs` differ in length.
GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           const GradCheckOptions& options = {});

/// Also checks every trainable parameter of a layer or model. Restores the store's values and overwrites its gradients.
GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           ParameterStore<double>& parameters, const GradCheckOptions& options = {});

}  // namespace glossa
