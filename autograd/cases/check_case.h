#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autograd/cases/op_case.h"
#include "autograd/stopwatch.h"

namespace glossa {

/// Result of the checks of one row of a table of test cases, or of all rows of one op.
struct CaseReport {
  std::string name;
  Index cases = 0;                          ///< gradient checks: subsets of inputs, repeated variables
  Index elements = 0;                       ///< gradients compared with differences
  double worst_error = 0;                   ///< as in GradCheckResult
  double loose_error = 0;                   ///< as in GradCheckResult
  double second_error = 0;                  ///< of the second witness, extrapolated differences (see grad_check)
  std::optional<double> taylor_slope = {};  ///< of a whole model
  Index kinks = 0;                          ///< elements repeated with a smaller step because of a kink
  Index skipped = 0;                        ///< elements not compared: too near to a kink
  double seconds = 0;
  std::vector<std::string> failures = {};  ///< sentences; empty: passed

  void add(const CaseReport& other);
};

/// Calls work(report) and returns the report, with the time that `work` took.
template <class Work>
CaseReport timed(CaseReport report, const Work& work) {
  const Stopwatch watch;
  work(report);
  report.seconds = watch.seconds();
  return report;
}

/// Maximum errors: of a gradient in double, for differences and for the second witness; of float against double,
/// relative to a tensor's maximum.
inline constexpr double gradient_limit = 1e-8, second_limit = 1e-11, float_limit = 1e-4;

/// Minimum slope of the Taylor remainder: 2 if every derivative is right, 1 if one is wrong.
inline constexpr double slope_limit = 1.95;

/// Runs all checks of a table row. Changes and restores the number of threads. The checks:
/// - the value equals the reference
/// - the gradient of every element (or of a sample, see OpCase::sampling) equals differences, for every subset of
///   inputs (for more than four inputs: all, each alone, all but one) and with one variable as two inputs
/// - gradients accumulate
/// - without a tape, nothing is recorded and the value has the same bits
/// - a second backward throws, or gives the same gradients if the graph is kept
/// - 1, 2 and 4 threads give the same bits
/// - a step does not allocate heap memory after warm-up
/// - float equals double, up to rounding
/// - errors name the op and the shapes
CaseReport check_case(const OpCase& row);

/// Every op of the table, in its order.
std::vector<std::string> op_names();

/// All rows of one op as one report.
CaseReport check_op(const std::string& op);

}  // namespace glossa
