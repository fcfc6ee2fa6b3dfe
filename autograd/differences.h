#pragma once

#include <functional>

#include "autograd/objective.h"

namespace glossa {

/// Result of comparing a derivative with differences.
enum class Verdict {
  right,      ///< equal, as far as the limit asks for
  wrong,      ///< they differ by more than the differences can be off
  undecided,  ///< the differences are not accurate enough to tell
};

/// The reason why differences are inaccurate.
enum class Doubt {
  none,
  kink,      ///< the function takes another branch (relu, max, abs, ...) at every step, or has two slopes
  pole,      ///< the function is not finite at any step
  rounding,  ///< rounding errors, or changes on a scale too small for any step
};

/// The judgment of one derivative.
struct Judgment {
  Verdict verdict = Verdict::undecided;
  Doubt doubt = Doubt::none;  ///< if undecided
  double numeric = 0;         ///< the derivative from differences; NaN if unknown
  double error = 0;           ///< estimated error of `numeric`
  double gap = 0;             ///< difference of the two derivatives, less the rounding error of the analytic one
  double step = 0;            ///< largest step within which there is no kink or pole; 0 if unknown
  bool near_kink = false;     ///< steps were reduced because of a kink
};

/// A function along a line: F at the distance `t` from the center. `t` is the distance after rounding of the point.
struct PointOnLine {
  double t;
  Objective::Point point;
};
using Line = std::function<PointOnLine(double t)>;

/// Magnitudes to which errors are compared.
struct JudgmentScale {
  double limit;     ///< largest relative error of a right derivative
  double error;     ///< the error is relative to this or the derivative, whichever is larger
  double evidence;  ///< likewise, the estimated error of the differences
  double rounding;  ///< rounding error of the analytic derivative
};

/// Judges `analytic`, the derivative of F along a line at t = 0. Takes central differences with steps h = first,
/// first/2, first/4, ... and extrapolates them to a step of 0 (Richardson). The estimated error of an entry of the
/// extrapolation table is its largest change from its neighbors (Ridders 1982), or the rounding error of the difference
/// if that is larger. If a kink or a pole is within the step, the table begins again with a quarter of the step.
///
/// The derivative is right as soon as an entry with a sufficiently small error agrees with it, usually after three to
/// five steps. If none does, steps become smaller until rounding makes the points equal, and the entry with the
/// smallest error counts. A function that changes on a small scale may seem smooth at large steps. So the derivative is
/// wrong only if no two successive entries agree with it more clearly than with the entry that counts.
Judgment judge_derivative(const Line& line, const Objective::Point& center, double analytic, double first,
                          const JudgmentScale& scale);

}  // namespace glossa
