#include "autograd/differences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace glossa {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double smallest_step = 0x1p-48;  // relative to the first
constexpr int columns = 7;                 // of the extrapolation table
constexpr double safety = 4;               // errors may be larger than estimated by this factor
constexpr double last_resort = 10;         // factor of the error that is small enough if smaller steps do not help

/// Extrapolated differences with the steps down to one step.
struct Entry {
  double value, error;
  double left = 0, right = 0;  // slopes from the center to the two points of the smallest step
};

/// Richardson's table over central differences; each row has half the step of the row before, and its column j is free
/// of errors up to h^(2j).
class Table {
 public:
  void clear() { last_.clear(); }

  /// Adds a row, which begins with a central difference; returns its entry with the smallest error. `rounding` is the
  /// rounding error of the difference. The first row has no entry: its error is infinite.
  Entry add(long double difference, double rounding) {
    std::vector<long double> row{difference};
    long double power = 1, best = difference, best_change = infinity;
    for (std::size_t j = 1; j <= std::min<std::size_t>(last_.size(), columns - 1); ++j) {
      power *= 4;
      row.push_back(row[j - 1] + (row[j - 1] - last_[j - 1]) / (power - 1));
      const long double change = std::max(std::abs(row[j] - row[j - 1]), std::abs(row[j] - last_[j - 1]));
      if (!(change < best_change)) continue;
      best_change = change;
      best = row[j];
    }
    last_ = std::move(row);
    return {static_cast<double>(best), std::max(static_cast<double>(best_change), rounding)};
  }

 private:
  std::vector<long double> last_;
};

/// True if the slopes left and right of the center differ by the same amount at two successive steps, and `analytic` is
/// one of them or between them: a kink that the function does not report. At the center of a smooth function, the
/// difference is halved with the step.
bool has_kink(const Entry& before, const Entry& entry, double analytic) {
  const auto [low, high] = std::minmax(entry.left, entry.right);
  const double jump = high - low, margin = jump / 8;
  return jump > 16 * entry.error && std::abs(std::abs(before.right - before.left) - jump) <= margin &&
         low - margin <= analytic && analytic <= high + margin;
}

class Judge {
 public:
  Judge(const Objective::Point& center, double analytic, const JudgmentScale& scale)
      : center_(center), analytic_(analytic), scale_(scale) {}

  /// Adds the points at the distance h to both sides. Returns the factor of the next step, or 0 if none is needed.
  double add(double h, const PointOnLine& below, const PointOnLine& above) {
    const double width = above.t - below.t;
    if (width <= 0) return 0;
    const bool crosses = below.point.branches != center_.branches || above.point.branches != center_.branches;
    const bool finite = std::isfinite(below.point.value) && std::isfinite(above.point.value);
    judgment_.near_kink |= crosses;
    explodes_ |= !finite;
    if (crosses || !finite) {
      table_.clear();
      judgment_.step = 0;
      return 0.25;
    }
    if (judgment_.step == 0) judgment_.step = h;
    at_center_ = std::max({at_center_, below.point.at_center, above.point.at_center});
    const double magnitude = std::max({at_center_, below.point.magnitude, above.point.magnitude});
    const double rounding = std::numeric_limits<double>::epsilon() * magnitude / h;
    Entry entry = table_.add((above.point.value - below.point.value) / width, rounding);
    entry.left = static_cast<double>(below.point.value / below.t);
    entry.right = static_cast<double>(above.point.value / above.t);
    const Entry before = std::exchange(last_, entry);
    if (std::isfinite(entry.error)) judge(before, entry);
    return judgment_.verdict == Verdict::right ? 0 : 0.5;
  }

  /// The judgment after the smallest step.
  Judgment judgment() const {
    Judgment result = judgment_;
    result.gap = gap(result.numeric);
    if (!std::isfinite(analytic_)) {
      result.verdict = Verdict::wrong;
    } else if (entries_.empty()) {
      result.doubt = result.near_kink ? Doubt::kink : explodes_ ? Doubt::pole : Doubt::rounding;
    } else if (result.verdict == Verdict::undecided) {
      if (agrees())
        result.verdict = result.error <= last_resort * small_error() ? Verdict::right : Verdict::undecided;
      else if (on_kink_)
        result.doubt = Doubt::kink;
      else if (!may_be_right(result.gap))
        result.verdict = Verdict::wrong;
    }
    if (result.verdict != Verdict::undecided) result.doubt = Doubt::none;
    return result;
  }

 private:
  /// Keeps the entry with the smallest error. Steps go on while they improve it much, so that the error is known well
  /// below the limit.
  void judge(const Entry& before, const Entry& entry) {
    entries_.push_back(entry);
    const bool improves = entry.error < judgment_.error;
    if (improves) {
      judgment_.numeric = entry.value;
      judgment_.error = entry.error;
      on_kink_ = has_kink(before, entry, analytic_);
    }
    const double enough = small_error();
    if (agrees() && judgment_.error <= enough && (!improves || judgment_.error <= enough / 1000))
      judgment_.verdict = Verdict::right;
  }

  bool agrees() const { return gap(judgment_.numeric) <= relative_to(scale_.error) + safety * judgment_.error; }

  /// True if the differences may be off by more than the gap, or if two successive entries agree with the derivative
  /// more clearly than with the entry that counts.
  bool may_be_right(double gap_now) const {
    if (2 * safety * judgment_.error > gap_now) return true;
    int agreeing = 0;
    for (const Entry& entry : entries_) {
      const bool agrees = gap(entry.value) <= safety * entry.error && 2 * safety * entry.error < gap_now;
      agreeing = agrees ? agreeing + 1 : 0;
      if (agreeing == 2) return true;
    }
    return false;
  }

  double gap(double numeric) const { return std::max(std::abs(analytic_ - numeric) - scale_.rounding, 0.0); }
  double small_error() const { return relative_to(scale_.evidence); }
  double relative_to(double least) const {
    return scale_.limit * std::max({std::abs(analytic_), std::abs(judgment_.numeric), least});
  }

  const Objective::Point& center_;
  const double analytic_;
  const JudgmentScale& scale_;
  Judgment judgment_{.doubt = Doubt::rounding, .numeric = std::numeric_limits<double>::quiet_NaN(), .error = infinity};
  Table table_;
  std::vector<Entry> entries_;
  Entry last_{};
  double at_center_ = 0;  // magnitude of all outputs that ever differed from the center's
  bool explodes_ = false, on_kink_ = false;
};

}  // namespace

Judgment judge_derivative(const Line& line, const Objective::Point& center, double analytic, double first,
                          const JudgmentScale& scale) {
  Judge judge(center, analytic, scale);
  for (double h = first; h >= smallest_step * first;) {
    const PointOnLine below = line(-h);
    const double factor = judge.add(h, below, line(h));
    if (factor == 0) break;
    h *= factor;
  }
  return judge.judgment();
}

}  // namespace glossa
