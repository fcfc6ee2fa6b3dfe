#include "autograd/taylor_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glossa {

namespace {

/// The line x + t d, where x are the parameters. `move` sets the parameters to a point of the line.
class Direction {
 public:
  explicit Direction(const std::vector<CheckedTensor>& checked) : checked_(checked) {
    Index elements = 0;
    for (const CheckedTensor& tensor : checked) elements += tensor.value.size();
    const double share = 1 / std::sqrt(static_cast<double>(std::max<Index>(elements, 1)));
    RandomStream random(1, "taylor_test");
    for (const CheckedTensor& tensor : checked)
      for (Index i = 0; i < tensor.value.size(); ++i) {
        const double x = tensor.value[i], d = (2 * random.uniform() - 1) * std::max(1.0, std::abs(x)) * share;
        start_.push_back(x);
        direction_.push_back(d);
        derivative_ += static_cast<long double>(tensor.grad[i]) * d;
        size_ += std::pow(static_cast<long double>(tensor.grad[i]) * d, 2);
      }
  }
  ~Direction() { move(0); }
  Direction(const Direction&) = delete;

  void move(double t) {
    std::size_t k = 0;
    for (const CheckedTensor& tensor : checked_)
      for (Index i = 0; i < tensor.value.size(); ++i, ++k) tensor.value[i] = start_[k] + t * direction_[k];
  }

  long double derivative() const { return derivative_; }

  /// Typical size of the directional derivative: the root of the sum of its squared terms.
  double size() const { return static_cast<double>(std::sqrt(size_)); }

 private:
  const std::vector<CheckedTensor>& checked_;
  std::vector<double> start_, direction_;
  long double derivative_ = 0, size_ = 0;
};

constexpr double directional_limit = 1e-8;

}  // namespace

TaylorResult taylor_test(const GradCheckFunction& function, ParameterStore<double>& parameters,
                         const StepOptions& step) {
  constexpr int points = 5;
  Objective objective(function, {}, {}, step);
  const std::vector<CheckedTensor> checked = objective.gradients(parameters);
  const Objective::Point center = objective.at_center();
  Direction line(checked);

  TaylorResult result;
  result.directional = static_cast<double>(line.derivative());
  const auto at = [&](double t) {
    line.move(t);
    return PointOnLine{t, objective.at_current_values()};
  };
  // Gradients of opposite signs cancel in the directional derivative, but their errors do not.
  const double size = line.size();
  result.judgment = judge_derivative(at, center, result.directional, 0x1p-6,
                                     {.limit = directional_limit,
                                      .floor = size,
                                      .small = size,
                                      .rounding = 16 * std::numeric_limits<double>::epsilon() * size});
  if (result.passes() && size == 0) {
    result.judgment.verdict = Verdict::undecided;
    result.judgment.doubt = Doubt::all_zero;
  }
  double rounding = 0;
  result.slope = std::numeric_limits<double>::infinity();
  // At larger steps, the third derivative would affect the slope.
  for (double t = 0x1p-6; t > 0x1p-30 && result.remainders.size() < points; t /= 2) {
    const Objective::Point point = at(t).point;
    if (point.branches != center.branches) {  // a kink before this point: restart closer to the center
      result.remainders.clear();
      continue;
    }
    if (result.remainders.empty()) result.step = t;
    rounding = std::max(rounding, 1e-13 * point.magnitude);
    result.remainders.push_back(static_cast<double>(std::abs(point.value - t * line.derivative())));
  }
  const bool finite = std::ranges::all_of(result.remainders, [](double remainder) { return std::isfinite(remainder); });
  if (result.remainders.size() < points || !finite) {  // a kink is too near, or a number is not finite
    result.slope = 0;
    return result;
  }
  for (std::size_t i = 1; i < result.remainders.size(); ++i)
    if (result.remainders[i] > rounding)
      result.slope = std::min(result.slope, std::log2(result.remainders[i - 1] / result.remainders[i]));
  return result;
}

std::string TaylorResult::describe() const {
  const char* const names[] = {"right", "wrong", "undecided: "};
  return fmt::format(
      "{}{} (the derivative along a random direction is {:.12g} by backward and {:.12g} by differences, which may be "
      "off "
      "by {:.1e}; Taylor's remainder falls with slope {:.3f})",
      names[static_cast<int>(judgment.verdict)], reason(judgment), directional, judgment.numeric, judgment.error,
      slope);
}

}  // namespace glossa
