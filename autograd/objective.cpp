#include "autograd/objective.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace glossa {

namespace {

auto halved(const Tensor<const double>& grad) {
  return grad.span() | std::views::transform([](double g) { return g / 2; });
}

}  // namespace

Objective::Objective(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                     const std::vector<bool>& requires_grad, const StepOptions& step)
    : function_(function), requires_grad_(requires_grad), step_(step), copies_(inputs.size()) {
  check(requires_grad.empty() || requires_grad.size() == inputs.size(), "grad_check",
        "expected requires_grad for {} inputs; got {}", inputs.size(), requires_grad.size());
  if (!step_.update) step_.update = 0;
  context_.trace_branches(true);
  context_.set_wiping(true);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    copies_[i] = {arena_.allocate_array<double>(inputs[i].size()), inputs[i].shape};
    std::copy_n(inputs[i].data, inputs[i].size(), copies_[i].data);
  }
}

std::vector<CheckedTensor> Objective::gradients() {
  const Variable<double> y = forward(true);
  center_.assign(y.value().data, y.value().data + y.size());
  std::vector<double> cotangent(y.size());
  for (Index i = 0; i < y.size(); ++i) cotangent[i] = weight(i);
  if (y.requires_grad()) {  // two runs: the first assigns gradients of leaves, the second must add to them
    const Tensor<double> weights{cotangent.data(), y.shape()};
    context_.backward(y, weights, /*keep_graph=*/true);
    context_.backward(y, weights);
  }
  std::vector<CheckedTensor> checked;
  int leaf = 0;  // position on the tape, which begins with the inputs that require a gradient
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (!requires_grad_.empty() && !requires_grad_[i]) continue;
    CheckedTensor tensor{fmt::format("input {}", i), copies_[i], std::vector<double>(copies_[i].size())};
    tensor.is_used = context_.tape().node(leaf++).own.set;
    if (y.requires_grad()) std::ranges::copy(halved(variables_[i].grad()), tensor.grad.begin());
    checked.push_back(std::move(tensor));
  }
  return checked;
}

std::vector<CheckedTensor> Objective::gradients(ParameterStore<double>& parameters) {
  parameters.clear_grads();
  std::vector<CheckedTensor> checked = gradients();
  std::vector<const Parameter<double>*> trainable;
  for (const Parameter<double>* parameter : parameters.parameters())
    if (parameter->trainable) trainable.push_back(parameter);
  const std::size_t inputs = checked.size();
  for (const Parameter<double>* parameter : trainable)
    checked.push_back({parameter->name, parameter->value, {}, parameter->has_grad()});
  parameters.fill_unset_grads();
  for (std::size_t i = 0; i < trainable.size(); ++i) {
    const auto grad = halved(trainable[i]->grad_tensor());
    checked[inputs + i].grad.assign(grad.begin(), grad.end());
  }
  return checked;
}

Objective::Point Objective::at_center() {
  const Point center = at_current_values();
  check(!(center.magnitude > 0), "grad_check",
        "expected a function that returns the same values whenever it is called; got different ones. Hint: draw random "
        "numbers from the context");
  return center;
}

Objective::Point Objective::at_current_values() {
  const Tensor<const double> y = forward(false).value();
  check(y.size() == std::ssize(center_), "grad_check",
        "expected a function that returns as many values whenever it is called, {}; got {}", center_.size(), y.size());
  Point point{.branches = context_.branches()};
  for (Index i = 0; i < y.size(); ++i) {
    const double size = std::abs(weight(i)), now = y[i], before = center_[i];
    if (std::isfinite(now)) point.total += size * std::abs(now);
    if (now == before) continue;
    point.value += static_cast<long double>(weight(i)) * (static_cast<long double>(now) - before);
    point.magnitude += size * std::max(std::abs(now), std::abs(before));
  }
  return point;
}

Variable<double> Objective::forward(bool recording) {
  step_.recording = recording;
  context_.begin(step_);
  variables_.clear();
  for (std::size_t i = 0; i < copies_.size(); ++i)
    variables_.push_back(requires_grad_.empty() || requires_grad_[i] ? context_.input(copies_[i])
                                                                     : context_.constant(copies_[i]));
  return function_(context_, variables_);
}

/// R[i] is in [-2, -1] or [1, 2], which gives every output a similar weight.
double Objective::weight(Index i) {
  for (Index k = static_cast<Index>(cotangent_.size()); k <= i; ++k) {
    const double u = random_.uniform();
    cotangent_.push_back(u < 0.5 ? -1 - 2 * u : 2 * u);
  }
  return cotangent_[i];
}

}  // namespace glossa
