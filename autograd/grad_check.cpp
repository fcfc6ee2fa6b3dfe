#include "autograd/grad_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glossa {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Gradients below this fraction of the function's largest may have the absolute error allowed at the fraction.
constexpr double small_gradient = 1e-4;

/// Rounding errors of backward are at most this fraction of the function's largest gradient.
constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();

bool smaller(double a, double b) { return std::abs(a) < std::abs(b); }

/// Largest magnitude of a tensor's finite gradients.
double largest_gradient(const CheckedTensor& tensor) {
  double largest = 0;
  for (const double g : tensor.grad)
    if (std::isfinite(g)) largest = std::max(largest, std::abs(g));
  return largest;
}

/// Indices of all elements, or of `limit` elements: one random element from each of `limit` equal ranges, always
/// including the largest gradient.
std::vector<Index> chosen_elements(const CheckedTensor& tensor, Index limit) {
  const Index size = tensor.value.size(), count = limit > 0 ? std::min(limit, size) : size;
  const Index largest = std::ranges::max_element(tensor.grad, smaller) - tensor.grad.begin();
  RandomStream random(1, tensor.name);
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
  Comparison(Objective& objective, const std::vector<CheckedTensor>& tensors, const GradCheckOptions& options)
      : objective_(objective), options_(options), center_(objective.at_center()) {
    for (const CheckedTensor& tensor : tensors) {
      largest_ = std::max(largest_, largest_gradient(tensor));
      result_.size += tensor.value.size();
    }
    result_.unit = objective.unit();
    for (const CheckedTensor& tensor : tensors) compare(tensor);
  }

  const GradCheckResult& result() const { return result_; }

 private:
  void compare(const CheckedTensor& tensor) {
    const auto size = static_cast<std::size_t>(tensor.value.size());
    result_.tensors.push_back({.name = tensor.name,
                               .shape = tensor.value.shape,
                               .errors = std::vector(size, std::numeric_limits<double>::quiet_NaN()),
                               .verdicts = std::vector(size, Verdict::undecided)});
    // Looks for a non-finite gradient in all elements, including those not sampled or near kinks.
    const auto broken = std::ranges::find_if_not(tensor.grad, [](double g) { return std::isfinite(g); });
    const double floor = options_.floor * largest_gradient(tensor);
    expected_step_ = infinity;
    const std::vector<Index> chosen = chosen_elements(tensor, options_.max_elements);
    if (broken != tensor.grad.end()) {
      const Index i = broken - tensor.grad.begin();
      const Judgment judgment = judge(tensor, i, floor);
      result_.undecided += judgment.verdict == Verdict::undecided && !std::ranges::binary_search(chosen, i);
      note(tensor, i, judgment, infinity);
    }
    bool is_used = tensor.is_used || tensor.grad.empty();
    for (const Index i : chosen) is_used |= compare(tensor, i, floor) != 0;
    if (!is_used && result_.unused.empty()) result_.unused = tensor.name;
  }

  /// Compares an element. Returns its derivative from differences, or NaN if unknown.
  double compare(const CheckedTensor& tensor, Index i, double floor) {
    const Judgment judgment = judge(tensor, i, floor);
    const double analytic = tensor.grad[i], numeric = judgment.numeric;
    if (judgment.doubt == Doubt::kink) {
      if (result_.skipped++ == 0) result_.kink_at = fmt::format("element {} of {}", i, tensor.name);
      return numeric;
    }
    ++result_.elements;
    result_.kinks += judgment.near_kink;
    result_.wrong += judgment.verdict == Verdict::wrong;
    result_.undecided += judgment.verdict == Verdict::undecided;
    if (std::isfinite(numeric)) result_.largest = std::max(result_.largest, std::abs(numeric));
    const double least = judgment.verdict == Verdict::right ? std::max(floor, small_gradient * largest_) : floor;
    const double scale = std::max({std::abs(analytic), std::abs(numeric), least});
    const auto relative = [&](double error) {
      return error == 0 ? 0 : std::isfinite(error / scale) ? error / scale : infinity;
    };
    const double error = relative(judgment.gap), loose = judgment.gap / (1e-5 + 1e-3 * std::abs(numeric));
    result_.loose_error = std::max(result_.loose_error, std::isfinite(loose) ? loose : infinity);
    if (judgment.verdict != Verdict::undecided) {
      result_.worst_error = std::max(result_.worst_error, error);
      result_.excess = std::max(result_.excess, relative(judgment.excess));
    }
    note(tensor, i, judgment, error);
    return numeric;
  }

  /// Judges an element. If kinks reduced the steps for the last element, first tries a similar step, and accepts only
  /// the verdict "right" from it.
  Judgment judge(const CheckedTensor& tensor, Index i, double floor) {
    double& x = tensor.value[i];
    const double unit = std::isfinite(x) ? std::max(1.0, std::abs(x)) : 1;
    const double first = std::exp2(std::ceil(std::log2(options_.step * unit)));
    const auto from = [&](double step) {
      return judge_derivative([&](double t) { return at(x, t); }, center_, tensor.grad[i], step,
                              {.limit = options_.limit,
                               .floor = floor,
                               .small = small_gradient * largest_,
                               .rounding = rounding * largest_});
    };
    Judgment judgment = from(std::min(first, expected_step_));
    if (expected_step_ < first && judgment.verdict != Verdict::right) judgment = from(first);
    if (judgment.near_kink) expected_step_ = judgment.step > 0 ? 4 * judgment.step : infinity;
    return judgment;
  }

  /// Records the element, and keeps it as the worst if it is worse than all before. Wrong elements rank above undecided
  /// ones.
  void note(const CheckedTensor& tensor, Index i, const Judgment& judgment, double error) {
    TensorCheck& check = result_.tensors.back();
    check.errors[i] = error;
    check.verdicts[i] = judgment.verdict;
    const auto rank = [](Verdict verdict) {
      return verdict == Verdict::wrong ? 2 : verdict == Verdict::undecided ? 1 : 0;
    };
    const std::pair now{rank(judgment.verdict), error};
    if (!result_.worst_name.empty() && now <= worst_) return;
    worst_ = now;
    result_.worst_name = tensor.name;
    result_.worst_shape = tensor.value.shape;
    result_.worst_index = i;
    result_.analytic = tensor.grad[i];
    result_.judgment = judgment;
    result_.error = error;
    if (error == infinity && judgment.verdict == Verdict::wrong) result_.worst_error = result_.excess = infinity;
  }

  /// F at x + t.
  PointOnLine at(double& x, double t) {
    const double before = x;
    struct Restore {
      double &x, value;
      ~Restore() { x = value; }
    } const restore{x, before};
    x = before + t;
    const double moved = x - before;  // NaN if x is NaN, which is valid behind a mask
    return {std::isnan(moved) ? t : moved, objective_.at_current_values()};
  }

  Objective& objective_;
  const GradCheckOptions& options_;
  const Objective::Point center_;
  double largest_ = 0;
  double expected_step_ = infinity;
  std::pair<int, double> worst_{};
  GradCheckResult result_;
};

void check_options(const GradCheckOptions& options) {
  check(options.limit > 0 && options.step > 0 && options.floor >= 0 && options.max_elements >= 0, "grad_check",
        "expected limit and step above 0, floor and max_elements of at least 0; got {}, {}, {} and {}", options.limit,
        options.step, options.floor, options.max_elements);
}

/// "right: ", or the verdict with the number of affected elements.
std::string beginning(const GradCheckResult& result) {
  const auto of_elements = [&](const char* verdict, Index count) {
    return fmt::format("{} at {} of {} elements: ", verdict, std::max<Index>(count, 1),
                       std::max<Index>(result.elements, 1));
  };
  switch (result.verdict()) {
    case Verdict::right:
      return "right: ";
    case Verdict::wrong:
      return of_elements("wrong", result.wrong);
    case Verdict::undecided:
      return result.undecided > 0 ? of_elements("undecided", result.undecided) : "undecided: ";
  }
  return "";
}

std::string counts(const GradCheckResult& result) {
  const std::string of_all = result.elements + result.skipped < result.size ? fmt::format(" of {}", result.size) : "";
  std::string text = fmt::format("{}{} element{} compared", result.elements, of_all, result.elements == 1 ? "" : "s");
  if (result.kinks > 0) text += fmt::format(", {} of them with smaller steps because of a kink", result.kinks);
  if (result.skipped > 0)
    text += fmt::format(", {} on a kink skipped, of which the first is {}", result.skipped, result.kink_at);
  return text;
}

}  // namespace

Verdict GradCheckResult::verdict() const {
  if (wrong > 0 || std::isinf(worst_error)) return Verdict::wrong;
  return undecided > 0 || !unused.empty() || largest == 0 ? Verdict::undecided : Verdict::right;
}

std::string GradCheckResult::describe() const {
  std::string text = beginning(*this);
  if (verdict() == Verdict::undecided && !unused.empty())
    return text + fmt::format(
                      "{} affects neither the result nor any gradient ({}). Hint: let the function use it, or "
                      "leave it out",
                      unused, counts(*this));
  if (worst_name.empty())
    return text + counts(*this) + ". Hint: " +
           (skipped > 0 ? "a kink has no derivative; check at another point"
                        : "let an input or a parameter with elements require a gradient");
  if (verdict() == Verdict::undecided && undecided == 0)
    return text +
           fmt::format("every derivative is 0, which proves nothing ({}). Hint: check at another point", counts(*this));
  const std::string element = fmt::format("element {} of {} {} has gradient {:.12g} by backward", worst_index,
                                          worst_name, worst_shape, analytic / unit);
  const std::string other =
      std::isnan(judgment.numeric)
          ? "; differences do not exist"
          : fmt::format(" and {:.12g} by differences, which may be off by {:.1e}; relative error {:.2e}",
                        judgment.numeric / unit, judgment.error / std::abs(unit), error);
  switch (verdict()) {
    case Verdict::right:
      return text + counts(*this) + "; the worst, " + element + other;
    case Verdict::undecided:
      return text + reason(judgment) + " (" + element + other + "; " + counts(*this) + ")";
    case Verdict::wrong:
      break;
  }
  text += element + other + " (" + counts(*this) + ")";
  if (std::isnan(analytic))
    text +=
        ". Hint: the derivative computed NaN, left an element of a sink unwritten (zeroed() fills it), or read "
        "memory from scratch(), which is released before it runs";
  else if (std::abs(2 * analytic - judgment.numeric) <= 1e-6 * std::abs(judgment.numeric))
    text +=
        ". Hint: half of the gradient; one of two paths has none, or an own op's derivative replaces a gradient "
        "instead of adding to it";
  return text;
}

GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           const GradCheckOptions& options) {
  check_options(options);
  Objective objective(function, inputs, options.requires_grad, options.context);
  return Comparison(objective, objective.gradients(), options).result();
}

GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           ParameterStore<double>& parameters, const GradCheckOptions& options) {
  check_options(options);
  Objective objective(function, inputs, options.requires_grad, options.context);
  return Comparison(objective, objective.gradients(parameters), options).result();
}

}  // namespace glossa
