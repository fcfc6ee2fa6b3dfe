#include "autograd/grad_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glossa {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Gradients much smaller than the largest of the function are compared as accurately as differences of the function
/// permit: the estimated error may be as large as for a gradient of this size, relative to the largest.
constexpr double small_gradient = 1e-4;

/// Rounding errors of backward, relative to the largest gradient of the function. They remain where terms cancel.
constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();

bool smaller(double a, double b) { return std::abs(a) < std::abs(b); }

/// Largest magnitude of a tensor's finite gradients.
double largest_gradient(const CheckedTensor& tensor) {
  double largest = 0;
  for (const double g : tensor.grad)
    if (std::isfinite(g)) largest = std::max(largest, std::abs(g));
  return largest;
}

/// Indices of all elements, or of `limit` elements: a random one from each of `limit` equal ranges, and always the
/// one with the largest gradient.
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
      : objective_(objective), options_(options), center_(objective.at_current_values()) {
    for (const CheckedTensor& tensor : tensors) largest_ = std::max(largest_, largest_gradient(tensor));
    for (const CheckedTensor& tensor : tensors) compare(tensor);
  }

  const GradCheckResult& result() const { return result_; }

 private:
  void compare(const CheckedTensor& tensor) {
    // Checks all elements, including those not chosen or near kinks.
    const auto broken = std::ranges::find_if_not(tensor.grad, [](double g) { return std::isfinite(g); });
    if (broken != tensor.grad.end())
      note(tensor, broken - tensor.grad.begin(), {.verdict = Verdict::wrong, .numeric = NAN}, infinity);
    const double floor = options_.floor * largest_gradient(tensor);
    expected_step_ = infinity;
    bool is_used = tensor.is_used || tensor.grad.empty();
    for (const Index i : chosen_elements(tensor, options_.max_elements)) is_used |= compare(tensor, i, floor) != 0;
    if (!is_used && result_.unused.empty()) result_.unused = tensor.name;
  }

  /// Compares an element; returns its derivative from differences, or NaN if unknown.
  double compare(const CheckedTensor& tensor, Index i, double floor) {
    const double x = tensor.value[i], analytic = tensor.grad[i];
    const double first = std::exp2(std::ceil(std::log2(options_.step * std::max(1.0, std::abs(x)))));
    const double least = std::max(floor, small_gradient * largest_);
    const auto judge = [&](double step) {
      return judge_derivative(
          [&](double t) { return at(tensor.value[i], t); }, center_, analytic, step,
          {.limit = options_.limit, .error = floor, .evidence = least, .rounding = rounding * largest_});
    };
    // If kinks are dense, they are about as near to the next element.
    const bool is_reduced = expected_step_ < first;
    Judgment judgment = judge(std::min(first, expected_step_));
    if (is_reduced && judgment.verdict != Verdict::right) judgment = judge(first);
    judgment.near_kink |= is_reduced;
    expected_step_ = judgment.step > 0 ? 4 * judgment.step : first;
    if (judgment.doubt == Doubt::kink) {
      if (result_.skipped++ == 0) result_.kink_at = fmt::format("element {} of {}", i, tensor.name);
      return NAN;
    }
    ++result_.elements;
    result_.kinks += judgment.near_kink;
    result_.wrong += judgment.verdict == Verdict::wrong;
    result_.undecided += judgment.verdict == Verdict::undecided;
    const double numeric = judgment.numeric, gap = judgment.gap;
    if (std::isfinite(numeric)) result_.largest = std::max(result_.largest, std::abs(numeric));
    const double scale = std::max({std::abs(analytic), std::abs(numeric), least});
    const auto relative = [&](double error) {
      return error == 0 ? 0 : std::isfinite(error) ? error / scale : infinity;
    };
    const double error = relative(gap), loose = gap / (1e-5 + 1e-3 * std::abs(numeric));
    result_.loose_error = std::max(result_.loose_error, std::isfinite(loose) ? loose : infinity);
    if (judgment.verdict != Verdict::undecided) {
      result_.worst_error = std::max(result_.worst_error, error);
      result_.excess = std::max(result_.excess, relative(std::max(gap - 4 * judgment.error, 0.0)));
    }
    note(tensor, i, judgment, error);
    return numeric;
  }

  /// Remembers the element if it is worse than the worst so far: wrong ones first, then undecided ones.
  void note(const CheckedTensor& tensor, Index i, const Judgment& judgment, double error) {
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
    const double moved = x - before;  // NaN if x is NaN, which a mask may hide
    return {std::isnan(moved) ? t : moved, objective_.at_current_values()};
  }

  Objective& objective_;
  const GradCheckOptions& options_;
  const Objective::Point center_;
  double largest_ = 0;
  double expected_step_ = infinity;  // probably crosses at most the nearest kink
  std::pair<int, double> worst_{};
  GradCheckResult result_;
};

const char* reason(Doubt doubt) {
  return doubt == Doubt::pole
             ? "the function is not finite near this point. Hint: move the input away from the pole"
             : "rounding errors, or changes on a tiny scale. Hint: scale the input, subtract large constants from the "
               "result, or check at another point";
}

}  // namespace

Verdict GradCheckResult::verdict() const {
  if (wrong > 0 || std::isinf(worst_error)) return Verdict::wrong;
  return elements == 0 || undecided > 0 || !unused.empty() ? Verdict::undecided : Verdict::right;
}

std::string GradCheckResult::describe() const {
  std::string counts = fmt::format("{} elements compared", elements);
  if (kinks > 0) counts += fmt::format(", {} of them with smaller steps because of a kink", kinks);
  if (skipped > 0) counts += fmt::format(", {} on a kink skipped, of which the first is {}", skipped, kink_at);
  if (verdict() != Verdict::wrong && !unused.empty())
    return fmt::format(
        "undecided: {} affects neither the result nor any gradient ({}). Hint: let the function use it, or leave it "
        "out",
        unused, counts);
  if (worst_name.empty())
    return fmt::format("undecided: {}.{}", counts,
                       skipped > 0 ? " Hint: a kink has no derivative; move the inputs away from it" : "");
  const std::string element = fmt::format(
      "element {} of {} {} has gradient {:.12g} by backward and {:.12g} by differences, which may be off by {:.1e}",
      worst_index, worst_name, worst_shape, analytic, judgment.numeric, judgment.error);
  switch (verdict()) {
    case Verdict::right:
      return fmt::format("right: {}; largest relative error {:.2e}; {}", counts, worst_error, element);
    case Verdict::undecided:
      return fmt::format("undecided at {} of {} elements: {} ({}): {}", undecided, elements, element, counts,
                         reason(judgment.doubt));
    case Verdict::wrong:
      break;
  }
  const char* const hint = std::isnan(analytic)
                               ? ". Hint: NaN may be memory from scratch(), which is released before the "
                                 "derivative runs; capture memory from tensor()"
                               : "";
  return fmt::format("wrong at {} of {} elements: {}, relative error {:.2e} ({}){}", std::max<Index>(wrong, 1),
                     elements, element, worst_error, counts, hint);
}

GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           const GradCheckOptions& options) {
  Objective objective(function, inputs, options.requires_grad, options.context);
  return Comparison(objective, objective.gradients(), options).result();
}

GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           ParameterStore<double>& parameters, const GradCheckOptions& options) {
  Objective objective(function, inputs, options.requires_grad, options.context);
  return Comparison(objective, objective.gradients(parameters), options).result();
}

}  // namespace glossa
