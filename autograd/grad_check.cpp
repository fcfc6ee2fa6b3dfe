#include "autograd/grad_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glossa {

namespace {

constexpr double smallest_step = 0x1p-9;  // of the first step; rounding grows as the step shrinks

/// Tensor whose elements are moved, and the gradient that backward found for it.
struct Subject {
  std::string name;
  Tensor<double> value;
  std::vector<double> grad;
};

/// F(x) = sum(R o f(x)) as a function of numbers that the caller moves in place.
class Objective {
 public:
  struct Point {
    long double value;
    std::uint64_t branches;
  };

  Objective(const GradCheckFunction& function, std::span<const Tensor<double>> inputs, const GradCheckOptions& options)
      : function_(function), options_(options), copies_(inputs.size()) {
    check(options.requires_grad.empty() || options.requires_grad.size() == inputs.size(), "grad_check",
          "expected requires_grad for {} inputs; got {}", inputs.size(), options.requires_grad.size());
    context_.trace_branches(true);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      copies_[i] = {arena_.allocate_array<double>(inputs[i].size()), inputs[i].shape};
      std::copy_n(inputs[i].data, inputs[i].size(), copies_[i].data);
    }
  }

  bool requires_grad(std::size_t input) const {
    return options_.requires_grad.empty() || options_.requires_grad[input];
  }

  /// Backward from R. Returns the inputs that require a gradient.
  std::vector<Subject> gradients() {
    const Variable<double> y = forward(true);
    std::vector<double> cotangent(y.size());
    for (Index i = 0; i < y.size(); ++i) cotangent[i] = weight(i);
    if (y.requires_grad()) context_.backward(y, Tensor<double>{cotangent.data(), y.shape()});
    std::vector<Subject> subjects;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      if (!requires_grad(i)) continue;
      Subject subject{fmt::format("input {}", i), copies_[i], std::vector<double>(copies_[i].size())};
      if (y.requires_grad()) std::ranges::copy(variables_[i].grad().span(), subject.grad.begin());
      subjects.push_back(std::move(subject));
    }
    return subjects;
  }

  Point at_current_values() {
    const Variable<double> y = forward(false);
    long double sum = 0;
    for (Index i = 0; i < y.size(); ++i) sum += static_cast<long double>(weight(i)) * y.value()[i];
    return {sum, context_.branches()};
  }

 private:
  Variable<double> forward(bool recording) {
    StepOptions step = options_.context;
    step.recording = recording;
    context_.begin(step);
    variables_.clear();
    for (std::size_t i = 0; i < copies_.size(); ++i)
      variables_.push_back(requires_grad(i) ? context_.input(copies_[i]) : context_.constant(copies_[i]));
    return function_(context_, variables_);
  }

  /// R[i] in [-2, -1] or [1, 2]: no output counts little.
  double weight(Index i) {
    for (Index k = static_cast<Index>(cotangent_.size()); k <= i; ++k) {
      const double u = random_.uniform();
      cotangent_.push_back(u < 0.5 ? -1 - 2 * u : 2 * u);
    }
    return cotangent_[i];
  }

  const GradCheckFunction& function_;
  const GradCheckOptions& options_;
  Arena arena_;  // outlives the context's steps
  std::vector<Tensor<double>> copies_;
  std::vector<Variable<double>> variables_;
  std::vector<double> cotangent_;
  RandomStream random_{1, "grad_check"};
  Context<double> context_;
};

/// Every element, or `limit` of them: one from each of so many equal stretches, the one with the largest gradient among
/// them.
std::vector<Index> chosen_elements(const Subject& subject, Index limit) {
  const Index size = subject.value.size(), count = limit > 0 ? std::min(limit, size) : size;
  const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const Index largest = std::ranges::max_element(subject.grad, smaller) - subject.grad.begin();
  RandomStream random(1, subject.name);
  std::vector<Index> chosen(count);
  for (Index k = 0; k < count; ++k) {
    const Index begin = k * size / count, end = (k + 1) * size / count;
    const bool has_largest = begin <= largest && largest < end;
    chosen[k] = has_largest ? largest : begin + static_cast<Index>(random.below(end - begin));
  }
  return chosen;
}

class Comparison {
 public:
  Comparison(Objective& objective, const GradCheckOptions& options)
      : objective_(objective), options_(options), centre_(objective.at_current_values()) {}

  void compare(const Subject& subject) {
    for (const Index i : chosen_elements(subject, options_.max_elements)) compare(subject, i);
  }

  const GradCheckResult& result() const { return result_; }

 private:
  void compare(const Subject& subject, Index i) {
    double& x = subject.value[i];
    const double first = std::exp2(std::ceil(std::log2(options_.step * std::max(1.0, std::abs(x)))));
    double numeric = 0, h = first;
    while (!difference(x, h, numeric)) {
      h /= 8;
      if (h < first * smallest_step) {
        ++result_.skipped;
        return;
      }
    }
    ++result_.elements;
    result_.kinks += h < first;
    result_.largest = std::max(result_.largest, std::abs(numeric));

    const double analytic = subject.grad[i];
    double error = std::abs(analytic - numeric) / std::max({std::abs(analytic), std::abs(numeric), options_.floor});
    if (!std::isfinite(error)) error = std::numeric_limits<double>::infinity();
    if (result_.worst_name.empty() || error > result_.worst_error) {
      result_.worst_error = error;
      result_.worst_name = subject.name;
      result_.worst_shape = subject.value.shape;
      result_.worst_index = i;
      result_.analytic = analytic;
      result_.numeric = numeric;
    }
  }

  /// The derivative of the objective in x; false if a point of the stencil lies on another side of a kink.
  bool difference(double& x, double h, double& result) {
    const double at = x;
    const auto point = [&](int k) {
      x = at + k * h;
      const Objective::Point p = objective_.at_current_values();
      x = at;
      return p;
    };
    const Objective::Point p[] = {point(-2), point(-1), point(1), point(2)};
    result = static_cast<double>((8 * (p[2].value - p[1].value) - (p[3].value - p[0].value)) / (12 * h));
    return std::ranges::all_of(p, [&](const Objective::Point& q) { return q.branches == centre_.branches; });
  }

  Objective& objective_;
  const GradCheckOptions& options_;
  const Objective::Point centre_;
  GradCheckResult result_;
};

}  // namespace

std::string GradCheckResult::describe() const {
  const std::string counts = fmt::format(
      "{} elements compared, {} of them with a smaller step beside a kink, {} skipped", elements, kinks, skipped);
  if (worst_name.empty()) return counts;
  return fmt::format(
      "element {} of {} {} has gradient {:.12g} by backward and {:.12g} by differences, a relative error of {:.2e} "
      "({})",
      worst_index, worst_name, worst_shape, analytic, numeric, worst_error, counts);
}

GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           const GradCheckOptions& options) {
  Objective objective(function, inputs, options);
  const std::vector<Subject> subjects = objective.gradients();
  Comparison comparison(objective, options);
  for (const Subject& subject : subjects) comparison.compare(subject);
  return comparison.result();
}

GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           ParameterStore<double>& parameters, const GradCheckOptions& options) {
  Objective objective(function, inputs, options);
  parameters.clear_grads();
  std::vector<Subject> subjects = objective.gradients();
  parameters.fill_unset_grads();
  for (const Parameter<double>* parameter : parameters.parameters())
    if (parameter->trainable) {
      const std::span<double> grad = parameter->grad_tensor().span();
      subjects.push_back({parameter->name, parameter->value, {grad.begin(), grad.end()}});
    }
  Comparison comparison(objective, options);
  for (const Subject& subject : subjects) comparison.compare(subject);
  return comparison.result();
}

}  // namespace glossa
