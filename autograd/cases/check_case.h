#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "autograd/cases/op_case.h"
#include "autograd/grad_check.h"
#include "base/stopwatch.h"

namespace glossa {

/// Results of checking one row of the table of test cases, or all rows of one op.
struct CaseReport {
  std::string name;
  Index cases = 0;                          ///< number of gradient checks (see check_case)
  Index elements = 0;                       ///< number of gradient elements compared with differences
  double worst_error = 0;                   ///< see GradCheckResult
  double loose_error = 0;                   ///< see GradCheckResult
  double excess = 0;                        ///< see GradCheckResult
  std::optional<double> bf16_error = {};    ///< largest error in bf16 (see bf16_limit); only with matrix products
  std::optional<double> taylor_slope = {};  ///< slope of the Taylor test; whole models only
  Index kinks = 0;                          ///< number of elements that needed a smaller step because of a kink
  Index skipped = 0;                        ///< number of elements not compared because they are on a kink
  Index undecided = 0;                      ///< number of elements that differences cannot judge accurately enough
  double seconds = 0;
  std::vector<std::string> failures = {};  ///< one sentence per failure

  void add(const GradCheckResult& result);
  void add(const CaseReport& other);
};

/// Calls work(report) and returns the report, including the time of `work`.
template <class Work>
CaseReport timed(CaseReport report, const Work& work) {
  const Stopwatch watch;
  work(report);
  report.seconds = watch.seconds();
  return report;
}

/// Maximum errors. `excess_limit` is for GradCheckResult::excess in double. `float_limit` is for float and `bf16_limit`
/// for products in bf16, both compared with double, relative to the tensor's maximum.
inline constexpr double excess_limit = 1e-11, float_limit = 1e-4, bf16_limit = 0x1p-6;

/// Runs all checks of a table row. Changes and restores the number of threads. The checks:
/// - the value equals the reference
/// - the gradient of every element, or of a sample (see OpCase::sampling), equals finite differences
/// - the gradients also equal finite differences if one variable is passed as two inputs
/// - an input's gradient has the same bits, regardless of which other inputs need one
/// - gradients add to those from an input's other uses
/// - without a tape, nothing is recorded and the value has the same bits
/// - a second backward gives the same gradients if the graph was kept, and throws otherwise
/// - 1, 2, 4 and 8 threads give the same bits
/// - a step does not allocate heap memory after warm-up
/// - float equals double, up to rounding
/// - if the op computes matrix products: in bf16, they equal double up to rounding, and give the same bits with 1, 2, 4
///   and 8 threads and without reuse of memory
/// - errors name the op and the shapes
CaseReport check_case(const OpCase& row);

/// Names of a table's subjects (ops or layers), in the table's order.
template <class Row>
std::vector<std::string> subjects(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows)
    if (std::ranges::find(names, row.subject()) == names.end()) names.push_back(row.subject());
  return names;
}

/// Checks all rows of one subject with `check`, which is check_case or check_layer; returns one report.
template <class Row>
CaseReport check_subject(const std::vector<Row>& rows, const std::string& subject, CaseReport (&check)(const Row&)) {
  CaseReport report{.name = subject};
  for (const Row& row : rows)
    if (row.subject() == subject) report.add(check(row));
  return report;
}

}  // namespace glossa
