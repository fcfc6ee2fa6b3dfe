#pragma once

#include "autograd/differences.h"

namespace glossa {

struct GradCheckOptions {
  double limit = 1e-8;                   // largest relative error of a correct gradient
  double floor = 1e-4;                   // smallest denominator of errors, relative to the tensor's largest gradient
  double step = 0x1p-4;                  // largest step / max(1, |x|), roughly: every step is 181/256 of a power of two
  std::vector<bool> requires_grad = {};  // one flag per input; empty: all true
  Index max_elements = 0;                // number of elements to check per tensor, always the same ones; 0: all
  StepOptions context = {.training = true};
};

/// The comparison of one tensor's elements.
struct TensorCheck {
  std::string name;  ///< "input 1", or the parameter's name
  Shape shape;
  std::vector<double> errors;     ///< relative error of each element; NaN if it was not compared
  std::vector<Verdict> verdicts;  ///< verdict on each element; undecided if it was not compared
};

/// Result of a gradient check. For each element, `a` is the gradient from backward and `n` the gradient from
/// differences.
struct GradCheckResult {
  double worst_error = 0;  ///< largest |a - n| / max(|a|, |n|, tensor's floor); infinite if a wrong a is not finite
  double excess = 0;       ///< worst_error, but with |a - n| reduced by four times the estimated error of n
  double loose_error = 0;  ///< largest |a - n| / (1e-5 + 1e-3 |n|): PyTorch's gradcheck accepts up to 1
  Index size = 0;          ///< number of elements
  Index elements = 0;      ///< number of elements compared
  Index wrong = 0;         ///< number of compared elements that are wrong
  Index undecided = 0;     ///< number of compared elements that differences cannot judge accurately enough
  Index kinks = 0;         ///< number of compared elements that needed smaller steps because of kinks
  Index skipped = 0;       ///< number of elements not compared because they are on a kink
  double largest = 0;      ///< largest |n|; if 0, the check proves nothing
  std::string kink_at;     ///< first skipped element: "element 3 of input 1"
  std::string unused;      ///< first input that affects no result and no gradient; if set, the check proves nothing

  std::vector<TensorCheck> tensors;  ///< all checked tensors, in order

  // The worst element: a wrong one if any is wrong, otherwise an undecided one if any is undecided.
  std::string worst_name;  ///< tensor of the worst element: "input 1", or the parameter's name
  Shape worst_shape;
  Index worst_index = 0;  ///< flat index of the worst element in its tensor
  double analytic = 0;    ///< gradient of the worst element from backward
  double error = 0;       ///< relative error of the worst element
  Judgment judgment = {};
  double unit = 1;  ///< factor R of a function with one output; describe() divides both gradients by it

  /// Right if every compared element is right, not all derivatives are 0, and every input has an effect.
  Verdict verdict() const;
  bool passes() const { return verdict() == Verdict::right; }

  /// Describes the result, starting with the verdict. Names the worst element with its two gradients, the estimated
  /// error of the differences and the counts, or names the unused input. If nothing is decided, explains why and
  /// suggests a remedy.
  std::string describe() const;
};

/// Compares backward with differences of the Objective F, in double. For each element, takes differences along its axis
/// and estimates their error (see judge_derivative). The element is right if its gradient and the differences agree
/// within `limit`. It is wrong if they disagree by more than the error of the differences. docs/examples/own_op.cpp
/// checks a user-defined op.
///
/// Rethrows exceptions of the function. Throws Error if it returns different values in each call, or if
/// options.requires_grad and `inputs` differ in length.
GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           const GradCheckOptions& options = {});

/// Also checks every trainable parameter of a layer or model. Restores the store's values and overwrites its gradients.
GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           ParameterStore<double>& parameters, const GradCheckOptions& options = {});

}  // namespace glossa
