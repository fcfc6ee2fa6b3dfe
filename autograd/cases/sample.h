#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "autograd/cases/op_case.h"

namespace glossa {

/// Sample numbers for an input of a row. All are exact in float, so float and double get the same numbers.
inline std::vector<double> sample_values(const CaseInput& input, RandomStream& random) {
  if (!input.values.empty()) return input.values;
  constexpr double distance = 1.0 / 16;
  std::vector<double> values(input.shape.size());
  for (double& x : values) {
    x = input.low + (input.high - input.low) * random.uniform();
    for (const double kink : input.kinks)
      if (std::abs(x - kink) < distance) x = x < kink ? kink - distance : kink + distance;
    x = static_cast<float>(x);
  }
  return values;
}

template <class T>
std::vector<std::remove_const_t<T>> numbers_of(const Tensor<T>& x) {
  return {x.data, x.data + x.size()};
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// The subset that contains all of a row's inputs.
inline constexpr std::uint64_t all_inputs = ~std::uint64_t{0};

/// A row prepared to run in float or double. Holds the function with its parameters, the inputs, a context, and a
/// random cotangent (the gradient from which backward starts).
template <class T>
class Sample {
 public:
  /// Result of one run: the value, then the gradients of all inputs and of all parameters in name order.
  struct Outcome {
    std::vector<T> value;
    std::vector<std::vector<T>> grads;

    bool same_bits(const Outcome& other) const {
      return glossa::same_bits(value, other.value) &&
             std::ranges::equal(grads, other.grads,
                                [](const auto& a, const auto& b) { return glossa::same_bits(a, b); });
    }
  };

  explicit Sample(const SampleCase& row, Precision precision = Precision::full) : precision_(precision) {
    if constexpr (std::is_same_v<T, float>)
      function_ = row.in_float(store_);
    else
      function_ = row.in_double(store_);
    store_.allocate(1);
    RandomStream random(1, row.name);
    // Biases start at 0 and gains at 1, which would hide some errors. Every parameter value therefore gets a random
    // offset. All numbers are exact in float, so float and double get the same numbers.
    for (Parameter<T>* parameter : store_.parameters())
      for (T& x : parameter->value.span()) x = static_cast<float>(static_cast<float>(x) + random.uniform() / 2 - 0.25);
    for (const CaseInput& input : row.inputs) {
      const std::vector<double> values = sample_values(input, random);
      check(static_cast<Index>(values.size()) == input.shape.size(), row.name, "expected {} sample numbers; got {}",
            input.shape.size(), values.size());
      inputs_.push_back({arena_.allocate_array<T>(input.shape.size()), input.shape});
      std::transform(values.begin(), values.end(), inputs_.back().data, [](double x) { return static_cast<T>(x); });
      names_.push_back(fmt::format("input {}", names_.size()));
    }
    for (const Parameter<T>* parameter : store_.parameters()) names_.push_back(parameter->name);
    leaves_.reserve(inputs_.size());
  }

  const CaseFunction<T>& function() const { return function_; }
  const std::vector<Tensor<T>>& inputs() const { return inputs_; }
  ParameterStore<T>& store() { return store_; }
  Context<T>& context() { return context_; }
  std::span<const Variable<T>> leaves() const { return leaves_; }

  /// Starts a step and makes the inputs of `call`. Input i needs a gradient if bit i of `subset` is 1. If `wrapped`,
  /// the inputs are not leaves: another op computes them, and they retain their gradients.
  void begin(bool recording, bool wrapped = false, std::uint64_t subset = all_inputs) {
    context_.begin({.training = true, .recording = recording, .update = 0, .precision = precision_});
    leaves_.clear();
    for (const Tensor<T>& input : inputs_) {
      leaves_.push_back(subset >> leaves_.size() & 1 ? context_.input(input) : context_.constant(input));
      if (wrapped) {
        leaves_.back() = scale(leaves_.back(), 1.0);
        leaves_.back().retain_grad();
      }
    }
  }

  /// Name of the input or parameter to which Outcome::grads[i] belongs.
  const std::string& name(std::size_t i) const { return names_[i]; }

  Variable<T> call() { return function_(context_, leaves_); }

  void backward(const Variable<T>& y, bool keep_graph = false) {
    while (static_cast<Index>(cotangent_.size()) < y.size())
      cotangent_.push_back(static_cast<T>(static_cast<float>(2 * random_.uniform() - 1)));
    if (y.requires_grad()) context_.backward(y, Tensor<T>{cotangent_.data(), y.shape()}, keep_graph);
  }

  Variable<T> forward(bool recording) {
    begin(recording);
    return call();
  }

  void step() {
    store_.clear_grads();
    backward(forward(true));
  }

  /// Runs one step. The inputs in `subset` need a gradient (see begin). With `add`, parameter gradients add to those of
  /// the previous step.
  Outcome run(std::uint64_t subset = all_inputs, bool add = false) {
    if (!add) store_.clear_grads();
    begin(true, false, subset);
    const Variable<T> y = call();
    backward(y);
    store_.fill_unset_grads();
    return outcome(y);
  }

  Outcome outcome(const Variable<T>& y) const {
    Outcome result{numbers_of(y.value()), {}};
    for (const Variable<T>& leaf : leaves_)
      result.grads.push_back(y.requires_grad() && leaf.requires_grad() ? numbers_of(leaf.grad())
                                                                       : std::vector<T>(leaf.size()));
    for (const Parameter<T>* parameter : store_.parameters())
      result.grads.push_back(numbers_of(parameter->grad_tensor()));
    return result;
  }

 private:
  const Precision precision_;
  ParameterStore<T> store_;
  CaseFunction<T> function_;
  Arena arena_;
  std::vector<Tensor<T>> inputs_;
  std::vector<std::string> names_;
  Context<T> context_;
  std::vector<Variable<T>> leaves_;
  std::vector<T> cotangent_;
  RandomStream random_{1, "cotangent"};
};

}  // namespace glossa
