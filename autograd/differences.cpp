#include "autograd/differences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace glossa {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double denormal = std::numeric_limits<double>::denorm_min();
constexpr double smallest_step = 0x1p-80;  // smallest step, as a multiple of the first step
constexpr double safety = 4;               // factor by which an error may exceed its estimate
constexpr double farthest = 32;            // largest distance, as a multiple of the first step: about 2 max(1, |x|)

/// Factor of all steps. It is not a power of two, so that steps do not fit the periods of a function such as sin(64 pi
/// x). It has few bits, which keeps points near the center exact in float as well.
constexpr double odd_factor = 181.0 / 256;

/// A derivative from differences, with its probable error.
struct Estimate {
  double value, error;
};

/// Extrapolates central differences with the steps h, h/2, h/4, ... to a step of 0 (Richardson). The table has a row
/// for each step; column j is free of errors up to h^(2j).
class Extrapolation {
 public:
  /// Empties the table.
  void restart() { last_.clear(); }

  /// Adds a row with half the step of the last one. Returns the entry of the row that changes least from its neighbors
  /// in the table (Ridders 1982). Its error is this change, but at least `rounding`, the rounding error of the
  /// difference. The error of the first row is infinite.
  Estimate add(long double difference, double rounding) {
    constexpr std::size_t columns = 7;
    std::vector<long double> row{difference};
    long double power = 1, best = difference, least_change = std::numeric_limits<long double>::infinity();
    for (std::size_t j = 1; j <= std::min(last_.size(), columns - 1); ++j) {
      power *= 4;
      row.push_back(row[j - 1] + (row[j - 1] - last_[j - 1]) / (power - 1));
      const long double change = std::max(std::abs(row[j] - row[j - 1]), std::abs(row[j] - last_[j - 1]));
      if (!(change < least_change)) continue;
      least_change = change;
      best = row[j];
    }
    last_ = std::move(row);
    return {static_cast<double>(best), std::max(static_cast<double>(least_change), rounding)};
  }

 private:
  std::vector<long double> last_;
};

/// Differences for one step.
struct Row {
  double h, difference, left, right;  // slopes across the center and on each side
  Estimate estimate;                  // computed from this row and the earlier ones

  double jump() const { return std::abs(right - left); }
  double change() const { return std::abs(difference) * h; }
  double largest_change() const { return std::max(std::abs(left), std::abs(right)) * h; }
};

class Judge {
 public:
  Judge(const Objective::Point& center, double analytic, double first, const Tolerance& tolerance)
      : center_(center), analytic_(analytic), first_(first), tolerance_(tolerance) {}

  /// Adds the points at distance h on both sides. Returns the factor for the next step, or 0 if no more steps are
  /// needed.
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
                     .estimate = extrapolation_.add(difference, rounding_of_outputs() / h)});
    const bool improves = rows_.size() == 1 || rows_.back().estimate.error < rows_[best_].estimate.error;
    if (improves) best_ = rows_.size() - 1;
    // Steps continue while they improve the estimate, unless its error is already far below the limit.
    const Estimate best = rows_[best_].estimate;
    is_right_ = rows_.size() > 2 && agrees(best) && (!improves || 1000 * best.error <= allowed(best));
    return is_right_ ? 0 : 0.5;
  }

  /// True if no output changed in any step although the derivative is not 0.
  bool is_blind() const { return !rows_.empty() && magnitude_ == 0 && !is_right_; }

  /// Records how much the function changes farther away.
  void look_at(const PointOnLine& far) {
    if (std::isfinite(far.point.magnitude)) scale_ = std::max(scale_, far.point.magnitude);
  }

  /// Judges the derivative after the last step.
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
      else if (std::isfinite(analytic_))
        result.doubt = doubt(best);
    }
    if (!std::isfinite(analytic_) && result.doubt != Doubt::pole) result.doubt = Doubt::none;
    if (result.verdict != Verdict::right && result.doubt == Doubt::none) result.verdict = Verdict::wrong;
    return result;
  }

 private:
  double rounding_of_outputs() const { return magnitude_ > 0 ? std::max(epsilon * magnitude_, denormal) : 0; }

  /// Rounding error of backward: 16 epsilon times the size of terms that cancel. This size is estimated as magnitude_ /
  /// 16 / first_.
  double rounding() const {
    const double terms = magnitude_ > 0 ? epsilon * magnitude_ / first_ : tolerance_.rounding;
    return std::max(std::min(tolerance_.rounding, terms), 16 * denormal);
  }

  double gap(double numeric) const { return std::max(std::abs(analytic_ - numeric) - rounding(), 0.0); }

  double allowed(const Estimate& estimate) const {
    return tolerance_.limit * std::max({std::abs(analytic_), std::abs(estimate.value), tolerance_.floor});
  }

  /// True if the derivative is right according to this estimate.
  bool agrees(const Estimate& estimate) const {
    const double off = safety * estimate.error, difference = gap(estimate.value);
    return std::isfinite(analytic_) &&
           (difference + off <= allowed(estimate) || (difference <= off && off <= tolerance_.limit * tolerance_.small));
  }

  /// Best estimate, with the function's noise included in its error. Differences with much smaller steps contain only
  /// noise.
  Estimate best_with_noise() const {
    const Row& best = rows_[best_];
    double noise = 0;
    for (const Row& row : rows_)
      if (64 * row.h <= best.h) noise = std::max(noise, std::abs(row.difference - best.estimate.value) * row.h);
    return {best.estimate.value, std::max(best.estimate.error, noise / best.h)};
  }

  /// The largest change that almost disappears at half the step. It is a rounding error, for example of 1 + exp(-36).
  double largest_jump() const {
    double jump = 0;
    for (std::size_t i = 2; i < rows_.size(); ++i) {
      const double change = rows_[i - 1].largest_change(), before = rows_[i - 2].largest_change();
      if (before > 32 * change && change <= 3 * rows_[i].largest_change()) jump = std::max(jump, before);
    }
    return jump;
  }

  /// Largest slope of the outputs that rounding can hide in steps of size h. If no output changes at all, larger
  /// intermediate results may hide the slope, as in log(1 + exp(x)), and a square root may enlarge their rounding
  /// errors.
  double hidden_slope(double h) const {
    if (magnitude_ > 0) return epsilon * center_.total / h;
    return std::max(epsilon, std::sqrt(epsilon) * std::max(center_.total, scale_)) / h;
  }

  /// The reason why the derivative is not wrong although `best` disagrees with it; Doubt::none if it is wrong.
  Doubt doubt(const Estimate& best) const {
    if (has_kink(best)) return Doubt::unreported_kink;
    const double h = rows_[best_].h, least = rows_.back().h, wide = gap(best.value);
    if (1024 * least > h) return near_kink_ ? Doubt::near_kink : near_pole_ ? Doubt::pole : Doubt::small_scale;
    if (is_rough()) return Doubt::small_scale;
    const double of_point = rows_[best_].largest_change() * least / (h * h);
    const double of_jump = 64 * wide > std::abs(best.value) ? largest_jump() / h : 0;
    const double error = std::max({best.error, of_point, of_jump, hidden_slope(h)});
    if (wide <= std::max(2 * safety * error, allowed(best))) {
      const bool larger_steps_help = safety * error * h <= allowed(best) * first_;
      return larger_steps_help && near_kink_ ? Doubt::near_kink : Doubt::rounding;
    }
    return agrees_elsewhere(best) ? Doubt::small_scale : Doubt::none;
  }

  /// True if the slopes of the two sides differ by the same amount at all steps above the noise, and the derivative
  /// lies between the slopes. For a smooth function, their difference is proportional to the step.
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

  /// True if steps much smaller than the best one change the function about as much as larger steps do. For a smooth
  /// function, the changes shrink with the step.
  bool is_rough() const {
    const double h = rows_[best_].h;
    double large = 0, small = 0;
    for (const Row& row : rows_) {
      if (row.h >= h) large = std::max(large, row.largest_change());
      if (64 * row.h <= h) small = std::max(small, row.largest_change());
    }
    return small > 1e-12 * magnitude_ && (16 * small > large || has_waves());
  }

  /// True if the derivative may be the slope of waves so short that many fit even into the smallest steps.
  bool has_waves() const {
    const double value = rows_[best_].estimate.value, wide = gap(value);
    double height = 0;
    for (auto row = rows_.end() - 8; row != rows_.end(); ++row)
      height = std::max(height, std::abs(row->difference - value) * row->h);
    return wide > 16 * std::abs(value) && height > 1e-12 * magnitude_ && wide * rows_.back().h <= 1024 * height;
  }

  /// True if two successive estimates agree with the derivative, and their errors are well below its gap to the best
  /// estimate. If the derivative is far from the best estimate, differences at smaller steps also count, unless they
  /// are within rounding.
  bool agrees_elsewhere(const Estimate& best) const {
    const double wide = gap(best.value), size = std::abs(analytic_);
    int agreeing = 0;
    for (const Row& row : rows_) {
      const double off = safety * row.estimate.error;
      const bool is_smaller = row.h < rows_[best_].h, means_something = 2 * off < size || is_smaller;
      const bool agrees = means_something && gap(row.estimate.value) <= off && 2 * off < wide;
      const bool is_close = is_smaller && row.change() > 64 * epsilon * magnitude_ && size < 4 * wide &&
                            8 * gap(row.difference) < std::min(wide, size);
      agreeing = agrees || is_close ? agreeing + 1 : 0;
      if (agreeing == 2) return true;
    }
    return false;
  }

  const Objective::Point& center_;
  const double analytic_, first_;
  const Tolerance& tolerance_;
  Extrapolation extrapolation_;
  std::vector<Row> rows_;  // rows since the last kink or pole
  std::size_t best_ = 0;   // index of the row whose estimate has the smallest error
  double magnitude_ = 0;   // largest Point::magnitude so far
  double scale_ = 0;       // largest Point::magnitude farther away
  bool is_right_ = false, near_kink_ = false, near_pole_ = false;
};

}  // namespace

std::string reason(const Judgment& judgment) {
  switch (judgment.doubt) {
    case Doubt::none:
      return "";
    case Doubt::kink:
      return "the point is on a kink, which has no derivative. Hint: check at another point";
    case Doubt::near_kink:
      return fmt::format(
          "a kink is within {:.0e} of the point, and rounding errors hide the derivative at smaller steps. Hint: move "
          "the point away from the kink",
          4 * judgment.step);
    case Doubt::unreported_kink:
      return "the slopes on the two sides differ. Hint: check at another point; an op with a kink calls add_branches";
    case Doubt::pole:
      return "the function is not finite near this point. Hint: check at another point";
    case Doubt::small_scale:
      return "the function changes on the scale of the smallest steps. Hint: compute in double throughout, scale the "
             "input, or check at another point";
    case Doubt::all_zero:
      return "every derivative is 0, which proves nothing. Hint: check at another point";
    case Doubt::rounding:
      return "rounding errors of the function hide the derivative. Hint: compute in double, subtract large "
             "constants from the result, or raise the limit";
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
  if (judge.is_blind())
    for (double h = 2 * first; h <= farthest * first; h *= 2) {
      judge.look_at(line(-h));
      judge.look_at(line(h));
    }
  return judge.judgment();
}

}  // namespace glossa
