#include "autograd/grad_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace glossa {

namespace {

constexpr double smallest_step = 0x1p-9;  // of the first step; rounding grows as the step shrinks
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Indices of all elements, or of `limit` elements: a random one from each of `limit` equal ranges, and always the
/// one with the largest gradient.
std::vector<Index> chosen_elements(const CheckedTensor& tensor, Index limit) {
  const Index size = tensor.value.size(), count = limit > 0 ? std::min(limit, size) : size;
  const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
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
  Comparison(Objective& objective, const GradCheckOptions& options)
      : objective_(objective), options_(options), center_(objective.at_current_values()) {}

  void compare(const CheckedTensor& tensor) {
    // Checks all elements, including those not chosen or near kinks.
    const auto broken = std::ranges::find_if_not(tensor.grad, [](double g) { return std::isfinite(g); });
    if (broken != tensor.grad.end()) note(tensor, broken - tensor.grad.begin(), NAN, infinity);
    bool is_used = tensor.is_used || tensor.grad.empty();
    for (const Index i : chosen_elements(tensor, options_.max_elements)) is_used |= compare(tensor, i) != 0;
    if (!is_used && result_.unused.empty()) result_.unused = tensor.name;
  }

  const GradCheckResult& result() const { return result_; }

 private:
  /// Compares an element; returns its derivative from differences, or NaN if it is skipped.
  double compare(const CheckedTensor& tensor, Index i) {
    double& x = tensor.value[i];
    const double unit = std::max(1.0, std::abs(x)), first = std::exp2(std::ceil(std::log2(options_.step * unit)));
    double numeric = 0, h = first;
    while (!stencil(x, h, numeric)) {
      h /= 8;
      if (h < first * smallest_step) {
        ++result_.skipped;
        return NAN;
      }
    }
    ++result_.elements;
    result_.kinks += h < first;
    result_.largest = std::max(result_.largest, std::abs(numeric));

    const double analytic = tensor.grad[i], error = relative_error(analytic, numeric);
    const double loose = std::abs(analytic - numeric) / (1e-5 + 1e-3 * std::abs(numeric));
    result_.loose_error = std::max(result_.loose_error, std::isfinite(loose) ? loose : error);
    note(tensor, i, numeric, error);
    if (options_.second_step > 0) compare_extrapolated(tensor, i, first * options_.second_step / options_.step);
    return numeric;
  }

  void note(const CheckedTensor& tensor, Index i, double numeric, double error) {
    if (!result_.worst_name.empty() && error <= result_.worst_error) return;
    result_.worst_error = error;
    result_.worst_name = tensor.name;
    result_.worst_shape = tensor.value.shape;
    result_.worst_index = i;
    result_.analytic = tensor.grad[i];
    result_.numeric = numeric;
  }

  void compare_extrapolated(const CheckedTensor& tensor, Index i, double h) {
    const double furthest = h;
    std::optional<Extrapolated> witness;
    while (!(witness = extrapolate(tensor.value[i], h)))
      if ((h /= 2) < furthest / 8) return;  // no room: smaller steps would only show rounding
    ++result_.second_elements;
    const double error = relative_error(tensor.grad[i], witness->value);
    if (h == furthest) {
      result_.coarse += std::abs(witness->coarse - witness->value);
      result_.fine += std::abs(witness->fine - witness->value);
    }
    if (error <= result_.second_error) return;
    result_.second_error = error;
    result_.second_name = tensor.name;
    result_.second_index = i;
  }

  double relative_error(double analytic, double numeric) const {
    const double error =
        std::abs(analytic - numeric) / std::max({std::abs(analytic), std::abs(numeric), options_.floor});
    return std::isfinite(error) ? error : infinity;
  }

  /// F at x + offset, or nothing if F takes another branch there.
  std::optional<long double> at(double& x, double offset) {
    const double before = x;
    struct Restore {
      double &x, value;
      ~Restore() { x = value; }
    } const restore{x, before};
    x = before + offset;
    const Objective::Point point = objective_.at_current_values();
    if (point.branches != center_.branches) return std::nullopt;
    return point.value;
  }

  /// The derivative of the objective in x; false if a point of the stencil is on another side of a kink.
  bool stencil(double& x, double h, double& result) {
    const auto a = at(x, -2 * h), b = at(x, -h), c = at(x, h), d = at(x, 2 * h);
    if (!a || !b || !c || !d) return false;
    result = static_cast<double>((8 * (*c - *b) - (*d - *a)) / (12 * h));
    return true;
  }

  struct Extrapolated {
    double value, coarse, fine;  // the last two: the 5-point stencil with steps h / 8 and h / 16
  };

  /// Richardson's table over central differences with steps h, h/2, h/4, ...: column j is free of errors up to h^(2j).
  std::optional<Extrapolated> extrapolate(double& x, double h) {
    constexpr int levels = 8;
    long double table[levels][levels], best = 0, best_change = std::numeric_limits<long double>::infinity();
    for (int k = 0; k < levels; ++k, h /= 2) {
      const auto below = at(x, -h), above = at(x, h);
      if (!below || !above) return std::nullopt;
      table[k][0] = (*above - *below) / (2 * h);
      long double power = 1;
      for (int j = 1; j <= k; ++j) {
        power *= 4;
        table[k][j] = table[k][j - 1] + (table[k][j - 1] - table[k - 1][j - 1]) / (power - 1);
        const long double change =
            std::max(std::abs(table[k][j] - table[k][j - 1]), std::abs(table[k][j] - table[k - 1][j - 1]));
        if (!(change < best_change)) continue;  // NaN: beyond the domain
        best_change = change;
        best = table[k][j];
      }
    }
    return Extrapolated{static_cast<double>(best), static_cast<double>(table[3][1]), static_cast<double>(table[4][1])};
  }

  Objective& objective_;
  const GradCheckOptions& options_;
  const Objective::Point center_;
  GradCheckResult result_;
};

}  // namespace

std::string GradCheckResult::describe() const {
  const std::string counts = fmt::format("{} elements compared, {} of them with a smaller step near a kink, {} skipped",
                                         elements, kinks, skipped);
  if (!unused.empty())
    return fmt::format(
        "{} affects neither the result nor any gradient ({}). Hint: let the function use it, or leave it out", unused,
        counts);
  if (worst_name.empty()) return counts;
  const char* const hint = std::isnan(analytic)
                               ? ". Hint: NaN may be memory from scratch(), which is released before the "
                                 "derivative runs; capture memory from tensor()"
                               : "";
  return fmt::format(
      "element {} of {} {} has gradient {:.12g} by backward and {:.12g} by differences, relative error {:.2e} ({}){}",
      worst_index, worst_name, worst_shape, analytic, numeric, worst_error, counts, hint);
}

namespace {

GradCheckResult compare_all(Objective& objective, const std::vector<CheckedTensor>& checked,
                            const GradCheckOptions& options) {
  Comparison comparison(objective, options);
  for (const CheckedTensor& tensor : checked) comparison.compare(tensor);
  return comparison.result();
}

}  // namespace

GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           const GradCheckOptions& options) {
  Objective objective(function, inputs, options.requires_grad, options.context);
  return compare_all(objective, objective.gradients(), options);
}

GradCheckResult grad_check(const GradCheckFunction& function, std::span<const Tensor<double>> inputs,
                           ParameterStore<double>& parameters, const GradCheckOptions& options) {
  Objective objective(function, inputs, options.requires_grad, options.context);
  return compare_all(objective, objective.gradients(parameters), options);
}

}  // namespace glossa
