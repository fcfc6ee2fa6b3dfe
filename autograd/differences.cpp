#include "autograd/differences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "autograd/extrapolation.h"

namespace glossa {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double smallest_step = 0x1p-80;  // relative to the first
constexpr double safety = 4;               // an error may be larger than estimated by this factor

/// Not a power of two, so that steps do not fit into the periods of a function such as sin(64 pi x). Few digits, so
/// that points near the center are exact also in float.
constexpr double odd_factor = 181.0 / 256;

/// The differences with one step.
struct Row {
  double h, difference, left, right;  // slopes across the center, and on each of its sides
  Estimate estimate;                  // from this row and those before

  double jump() const { return std::abs(right - left); }
};

class Judge {
 public:
  Judge(const Objective::Point& center, double analytic, double first, const Tolerance& tolerance)
      : center_(center), analytic_(analytic), first_(first), tolerance_(tolerance) {}

  /// Adds the points at the distance h on both sides. Returns the factor of the next step, or 0 if none is needed.
  double add(double h, const PointOnLine& below, const PointOnLine& above) {
    const double width = above.t - below.t;
    if (width <= 0) return 0;
    const bool crosses = below.point.branches != center_.branches || above.point.branches != center_.branches;
    const bool finite = std::isfinite(below.point.value) && std::isfinite(above.point.value);
    near_kink_ |= crosses;
    near_pole_ |= !finite;
    if (crosses || !finite) {
      extrapolation_.restart();
      rows_.clear();
      return 0.25;
    }
    magnitude_ = std::max({magnitude_, below.point.magnitude, above.point.magnitude});
    const long double difference = (above.point.value - below.point.value) / width;
    rows_.push_back({.h = h,
                     .difference = static_cast<double>(difference),
                     .left = static_cast<double>(below.point.value / below.t),
                     .right = static_cast<double>(above.point.value / above.t),
                     .estimate = extrapolation_.add(difference, epsilon * magnitude_ / h)});
    const bool improves = rows_.size() == 1 || rows_.back().estimate.error < rows_[best_].estimate.error;
    if (improves) best_ = rows_.size() - 1;
    // Steps go on while they help much, so that the error is known well below the limit.
    const Estimate best = rows_[best_].estimate;
    is_right_ = rows_.size() > 2 && agrees(best) && (!improves || 1000 * best.error <= allowed(best));
    return is_right_ ? 0 : 0.5;
  }

  /// The judgment after the last step.
  Judgment judgment() const {
    Judgment result{.near_kink = near_kink_};
    if (rows_.size() < 2) {
      result.doubt = near_kink_ ? Doubt::kink : near_pole_ ? Doubt::pole : Doubt::small_scale;
    } else {
      const Estimate best = is_right_ ? rows_[best_].estimate : best_with_noise();
      result.numeric = best.value;
      result.error = best.error;
      result.gap = gap(best.value);
      result.excess = std::max(result.gap - safety * best.error, 0.0);
      result.step = rows_.front().h;
      if (agrees(best))
        result.verdict = Verdict::right;
      else
        result.doubt = doubt(best);
    }
    if (!std::isfinite(analytic_) && result.doubt != Doubt::pole) result.doubt = Doubt::none;
    if (result.verdict != Verdict::right && result.doubt == Doubt::none) result.verdict = Verdict::wrong;
    return result;
  }

 private:
  /// Rounding error of backward. Terms that cancel are about as large as the outputs that move, per step of size
  /// 16 * first.
  double rounding() const {
    return magnitude_ > 0 ? std::min(tolerance_.rounding, epsilon * magnitude_ / first_) : tolerance_.rounding;
  }

  double gap(double numeric) const { return std::max(std::abs(analytic_ - numeric) - rounding(), 0.0); }

  double allowed(const Estimate& estimate) const {
    return tolerance_.limit * std::max({std::abs(analytic_), std::abs(estimate.value), tolerance_.floor});
  }

  /// True if the derivative is right according to this estimate.
  bool agrees(const Estimate& estimate) const {
    const double off = safety * estimate.error, difference = gap(estimate.value);
    return difference + off <= allowed(estimate) || (difference <= off && off <= tolerance_.limit * tolerance_.small);
  }

  /// The best estimate, whose error includes the noise of the function: differences with much smaller steps consist of
  /// noise only.
  Estimate best_with_noise() const {
    const Row& best = rows_[best_];
    double noise = 0;
    for (const Row& row : rows_)
      if (64 * row.h <= best.h) noise = std::max(noise, std::abs(row.difference - best.estimate.value) * row.h);
    return {best.estimate.value, std::max(best.estimate.error, noise / best.h)};
  }

  /// The reason why the derivative is not wrong although `best` disagrees with it; none if it is wrong.
  Doubt doubt(const Estimate& best) const {
    if (has_kink(best)) return Doubt::unreported_kink;
    if (still_changes()) return Doubt::small_scale;
    if (gap(best.value) <= std::max(2 * safety * best.error, allowed(best))) return Doubt::rounding;
    return agrees_elsewhere(best) ? Doubt::small_scale : Doubt::none;
  }

  /// True if the slopes of the two sides differ by the same amount, down to the noise, and the derivative is between
  /// them. For a smooth function, the difference is proportional to the step.
  bool has_kink(const Estimate& best) const {
    const auto [low, high] = std::minmax(rows_[best_].left, rows_[best_].right);
    const double jump = high - low, margin = jump / 8,
                 noise = std::max(best.error * rows_[best_].h, epsilon * magnitude_);
    if (analytic_ < low - margin || analytic_ > high + margin) return false;
    int steps = 0;
    for (const Row& row : rows_) {
      if (jump * row.h <= 64 * noise) break;
      if (std::abs(row.jump() - jump) > margin) return false;
      ++steps;
    }
    return steps >= 10;
  }

  /// True if the function changes by about the same amount within each of the smallest steps.
  bool still_changes() const {
    if (rows_.size() < 4) return true;
    for (auto row = rows_.end() - 3; row != rows_.end(); ++row)
      if (!(std::abs(row->difference) > 1.5 * std::abs((row - 1)->difference))) return false;
    return std::abs(rows_.back().difference) * rows_.back().h > 1e-6 * magnitude_;
  }

  /// True if two successive estimates agree with the derivative, clearly better than with the best estimate.
  bool agrees_elsewhere(const Estimate& best) const {
    int agreeing = 0;
    for (const Row& row : rows_) {
      const double off = safety * row.estimate.error;
      const bool means_something = 2 * off < std::abs(analytic_) || row.h < rows_[best_].h;
      agreeing = means_something && gap(row.estimate.value) <= off && 2 * off < gap(best.value) ? agreeing + 1 : 0;
      if (agreeing == 2) return true;
    }
    return false;
  }

  const Objective::Point& center_;
  const double analytic_, first_;
  const Tolerance& tolerance_;
  Extrapolation extrapolation_;
  std::vector<Row> rows_;  // since the last kink or pole
  std::size_t best_ = 0;   // the row whose estimate has the smallest error
  double magnitude_ = 0;   // of all outputs that ever differed from the center's
  bool is_right_ = false, near_kink_ = false, near_pole_ = false;
};

}  // namespace

std::string reason(Doubt doubt) {
  switch (doubt) {
    case Doubt::none:
      return "";
    case Doubt::kink:
      return "the point is on a kink, which has no derivative. Hint: check at another point";
    case Doubt::unreported_kink:
      return "the slopes on the two sides differ. Hint: check at another point; an op with a kink calls add_branches";
    case Doubt::pole:
      return "the function is not finite near this point. Hint: check at another point";
    case Doubt::small_scale:
      return "the function changes on the scale of the smallest steps. Hint: compute in double throughout, scale the "
             "input, "
             "or check at another point";
    case Doubt::rounding:
      return "rounding errors of the function hide the derivative. Hint: compute in double, and subtract large "
             "constants from the result";
  }
  return "";
}

Judgment judge_derivative(const Line& line, const Objective::Point& center, double analytic, double first,
                          const Tolerance& tolerance) {
  Judge judge(center, analytic, first, tolerance);
  for (double h = odd_factor * first; h >= smallest_step * first;) {
    const PointOnLine below = line(-h);
    const double factor = judge.add(h, below, line(h));
    if (factor == 0) break;
    h *= factor;
  }
  return judge.judgment();
}

}  // namespace glossa
