#pragma once

#include "autograd/ops.h"
#include "layers/cases/small_transformer.h"
#include "tests/support/golden.h"

namespace glossa::testing {

inline constexpr Index width = 12, heads = 4, hidden = 20;  // of the layers in the golden files made with PyTorch

/// Options of the models in these files, and of their layers.
inline TransformerOptions golden_options(NormPlace norm, Activation activation, Tied tied = Tied::none) {
  TransformerOptions options = small_transformer(
      11, 0, {.width = width, .heads = heads, .feed_forward = hidden, .norm = norm, .activation = activation});
  options.tied = tied;
  return options;
}

/// A case of a golden file made with PyTorch: computes it once and compares the results; pytorch.py explains the names.
template <class T>
class GoldenCase {
 public:
  GoldenCase(const Golden<T>& golden, std::string name) : golden_(golden), name_(std::move(name)) {}

  ParameterStore<T> store;
  Context<T> context;

  std::string path(const std::string& rest) const { return name_ + "/" + rest; }
  Sequences sequences(const std::string& name) const { return Sequences(golden_.ints(path("in/" + name))); }
  std::vector<int> ids(const std::string& name) const { return golden_.ints(path("in/" + name)); }

  /// Starts the step; call after the layers have declared their parameters in `store`.
  void begin() {
    store.allocate(1);
    golden_.assign(path("param/"), store);
    context.begin({.training = true});
    store.clear_grads();
  }

  /// An input that requires a gradient.
  Variable<T> input(const std::string& name) {
    inputs_.emplace_back(name, context.input(golden_.tensor(path("in/" + name))));
    return inputs_.back().second;
  }

  /// Compares the value of `y` and all gradients.
  void check_value(const Variable<T>& y) {
    golden_.check(path("out/y"), y.value());
    context.backward(y, golden_.tensor(path("cotangent")));
    check_gradients(1);
  }

  /// Compares a scalar and all gradients, both divided by `count`.
  void check_loss(const Variable<T>& sum, double count) {
    golden_.check(path("out/loss"), scale(sum, 1 / count).value());
    context.backward(sum);
    check_gradients(count);
  }

 private:
  void check_gradients(double count) {
    const auto check = [&](const std::string& name, const Tensor<T>& gradient) {
      std::vector<T> mean(gradient.data, gradient.data + gradient.size());
      for (T& g : mean) g /= static_cast<T>(count);
      golden_.check(path("grad/" + name), {mean.data(), gradient.shape});
    };
    store.fill_unset_grads();
    for (const auto& [name, input] : inputs_) check(name, input.grad());
    for (const Parameter<T>* parameter : store.parameters()) check(parameter->name, parameter->grad_tensor());
    CHECK_EQ(golden_.names(path("grad/")).size(), inputs_.size() + store.parameters().size());
  }

  const Golden<T>& golden_;
  std::string name_;
  std::vector<std::pair<std::string, Variable<T>>> inputs_;
};

}  // namespace glossa::testing
