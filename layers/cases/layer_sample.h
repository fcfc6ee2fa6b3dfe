#pragma once

#include "autograd/cases/sample.h"
#include "layers/cases/layer_case.h"

namespace glossa {

/// A LayerCase prepared to run in float or double. It has the layer with parameters, inputs, a context, and a random
/// cotangent: the gradient that backward starts from.
template <class T>
class LayerSample {
 public:
  /// Result of one run: the value, and the gradients of all inputs, then of all parameters in name order.
  struct Outcome {
    std::vector<T> value;
    std::vector<std::vector<T>> grads;
  };

  explicit LayerSample(const LayerCase& row, Precision precision = Precision::full) : precision_(precision) {
    if constexpr (std::is_same_v<T, float>)
      function_ = row.in_float(store_);
    else
      function_ = row.in_double(store_);
    store_.allocate(1);
    RandomStream random(1, row.name);
    // Biases start at 0 and gains at 1, which would hide some errors, so every parameter value gets a random offset.
    // All numbers are exact in float, so that float and double get the same numbers.
    for (Parameter<T>* parameter : store_.parameters())
      for (T& x : parameter->value.span()) x = static_cast<float>(static_cast<float>(x) + random.uniform() / 2 - 0.25);
    for (const Shape& shape : row.inputs) {
      const std::vector<double> values = sample_values(CaseInput(shape), random);
      inputs_.push_back({arena_.allocate_array<T>(shape.size()), shape});
      std::transform(values.begin(), values.end(), inputs_.back().data, [](double x) { return static_cast<T>(x); });
      names_.push_back(fmt::format("input {}", names_.size()));
    }
    for (const Parameter<T>* parameter : store_.parameters()) names_.push_back(parameter->name);
    leaves_.reserve(inputs_.size());
  }

  const LayerFunction<T>& function() const { return function_; }
  const std::vector<Tensor<T>>& inputs() const { return inputs_; }
  ParameterStore<T>& store() { return store_; }
  Context<T>& context() { return context_; }

  /// Name of the input or parameter that Outcome::grads[i] belongs to.
  const std::string& name(std::size_t i) const { return names_[i]; }

  Variable<T> forward(bool recording, bool inputs_need_grad = true) {
    context_.begin({.training = true, .recording = recording, .update = 0, .precision = precision_});
    leaves_.clear();
    for (const Tensor<T>& input : inputs_)
      leaves_.push_back(inputs_need_grad ? context_.input(input) : context_.constant(input));
    return function_(context_, leaves_);
  }

  void backward(const Variable<T>& y) {
    while (static_cast<Index>(cotangent_.size()) < y.size())
      cotangent_.push_back(static_cast<T>(static_cast<float>(2 * random_.uniform() - 1)));
    if (y.requires_grad()) context_.backward(y, Tensor<T>{cotangent_.data(), y.shape()});
  }

  void step() {
    store_.clear_grads();
    backward(forward(true));
  }

  /// Runs one step. With `add`, gradients of parameters are added to those of the previous step.
  Outcome run(bool inputs_need_grad = true, bool add = false) {
    if (!add) store_.clear_grads();
    const Variable<T> y = forward(true, inputs_need_grad);
    backward(y);
    store_.fill_unset_grads();
    Outcome result{numbers_of(y.value()), {}};
    for (const Variable<T>& leaf : leaves_)
      result.grads.push_back(leaf.requires_grad() ? numbers_of(leaf.grad()) : std::vector<T>());
    for (const Parameter<T>* parameter : store_.parameters())
      result.grads.push_back(numbers_of(parameter->grad_tensor()));
    return result;
  }

 private:
  const Precision precision_;
  ParameterStore<T> store_;
  LayerFunction<T> function_;
  Arena arena_;
  std::vector<Tensor<T>> inputs_;
  std::vector<std::string> names_;
  Context<T> context_;
  std::vector<Variable<T>> leaves_;
  std::vector<T> cotangent_;
  RandomStream random_{1, "cotangent"};
};

}  // namespace glossa
