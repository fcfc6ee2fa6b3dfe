#pragma once

#include <functional>
#include <limits>
#include <string>

#include "autograd/objective.h"

namespace glossa {

/// Result of comparing a derivative with differences.
enum class Verdict {
  right,      ///< the gradients are equal within the limit
  wrong,      ///< the difference exceeds the limit and the error of the differences
  undecided,  ///< the differences are not accurate enough
};

/// The reason why differences are not accurate enough.
enum class Doubt {
  none,
  kink,             ///< at every step, the function takes another branch (relu, max, abs, ...) than at the center
  near_kink,        ///< rounding errors of the function hide the derivative at steps that avoid a kink
  unreported_kink,  ///< the slopes of the two sides differ, though no op reports a branch
  pole,             ///< the function is not finite near the center
  small_scale,      ///< the function changes much within the smallest steps
  rounding,         ///< rounding errors of the function
  all_zero,         ///< every derivative is 0 and the function is constant
};

/// The judgment of one derivative. The numbers are from the differences, if there are any.
struct Judgment {
  Verdict verdict = Verdict::undecided;
  Doubt doubt = Doubt::none;                                  ///< the reason for the verdict `undecided`
  double numeric = std::numeric_limits<double>::quiet_NaN();  ///< the derivative from differences
  double error = std::numeric_limits<double>::infinity();     ///< estimated error of `numeric`
  double gap = std::numeric_limits<double>::infinity();  ///< |analytic - numeric|, less the rounding error of backward
  double excess = std::numeric_limits<double>::infinity();  ///< part of the gap not explained by 4 * error
  double step = 0;                                          ///< largest step without a kink or pole
  bool near_kink = false;                                   ///< true if a kink reduced the steps
};

/// Describes the doubt of a judgment in a sentence, with a hint.
std::string reason(const Judgment& judgment);

/// F at a point on a line through the center. `t` is the distance from the center to the point as rounded to double.
struct PointOnLine {
  double t;
  Objective::Point point;
};
using Line = std::function<PointOnLine(double t)>;

/// A derivative is right if it differs by at most limit * max(|derivative|, floor).
struct Tolerance {
  double limit;
  double floor;
  double small;     ///< a gap within the differences' error is accepted if that error is at most limit * small
  double rounding;  ///< largest rounding error of `analytic`
};

/// Judges `analytic`, the derivative of F along a line at t = 0. Takes central differences with steps h, h/2, h/4, ...,
/// starting near `first`, and extrapolates them to a step of 0. If a step reaches a kink or a pole, starts again with a
/// quarter of the step.
///
/// A derivative is right as soon as an estimate with a sufficiently small error agrees with it, usually after three to
/// five steps. Otherwise steps shrink until rounding makes the points equal. The estimate with the smallest error then
/// counts, and its error is at least the noise seen at smaller steps. A derivative is wrong only if no estimate agrees
/// with it: a function that changes on a small scale may seem smooth at large steps.
Judgment judge_derivative(const Line& line, const Objective::Point& center, double analytic, double first,
                          const Tolerance& tolerance);

}  // namespace glossa
