#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "autograd/context.h"

namespace glossa {

/// The function to check: any function of variables, computed in the given context. It is called many times and must
/// always compute the same values. The context's random numbers are the same in each call, because every call uses the
/// same seed and update.
using GradCheckFunction = std::function<Variable<double>(Context<double>&, std::span<const Variable<double>>)>;

/// A tensor whose elements may be perturbed, and its gradient from backward.
struct CheckedTensor {
  std::string name;  ///< "input 1", or the parameter's name
  Tensor<double> value;
  std::vector<double> grad;
  bool is_used = true;  ///< false: no derivative wrote to `grad`, which is zero
};

/// F(x) = sum(R f(x)), where R is a fixed random tensor and R f(x) is an elementwise product. F reduces a function f
/// with many outputs to a single number, whose derivative can be compared with differences. A plain sum would hide all
/// errors of an op whose outputs add up to a constant, such as softmax.
class Objective {
 public:
  /// F at some point, relative to the center, the point of the last call of `gradients`. An output that is the same at
  /// both points contributes nothing, even if it is infinite.
  struct Point {
    long double value = 0;       ///< F(x) - F(center)
    double magnitude = 0;        ///< sum of max(|here|, |at the center|) over outputs that differ
    double total = 0;            ///< sum of the magnitudes of all finite outputs here
    std::uint64_t branches = 0;  ///< hash of the branches taken (relu, max, abs, ...); see Context::branches
  };

  /// Copies `inputs`. `requires_grad` has one entry per input, or is empty if all are true; other lengths throw Error.
  Objective(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
            const std::vector<bool>& requires_grad, const StepOptions& step);

  /// Returns the inputs that require a gradient. Runs backward twice with cotangent R and halves the resulting
  /// gradients. If a derivative wrongly assigns instead of adding in the second run, its gradient is then half of the
  /// right one. The current values become the center.
  std::vector<CheckedTensor> gradients();

  /// Also returns every trainable parameter; overwrites the store's gradients.
  std::vector<CheckedTensor> gradients(ParameterStore<double>& parameters);

  /// The outputs of f at the center.
  const std::vector<double>& outputs() const { return center_; }

  /// R for a function with one output, otherwise 1.
  double unit() { return center_.size() == 1 ? weight(0) : 1; }

  /// F at the center. Throws Error if the function does not return the same values as in `gradients`.
  Point at_center();

  /// F at the current values of inputs and parameters, which the caller changes through CheckedTensor::value. Call
  /// `gradients` first.
  Point at_current_values();

 private:
  Variable<double> forward(bool recording);
  double weight(Index i);

  const GradCheckFunction& function_;
  const std::vector<bool> requires_grad_;
  StepOptions step_;
  Arena arena_;  // memory of copies_, which outlives the context's steps
  std::vector<Tensor<double>> copies_;
  std::vector<Variable<double>> variables_;
  std::vector<double> cotangent_, center_;
  RandomStream random_{1, "grad_check"};
  Context<double> context_;
};

}  // namespace glossa
