#pragma once

#include <vector>

namespace glossa {

/// A derivative from differences, and by how much it is probably off.
struct Estimate {
  double value, error;
};

/// Extrapolates central differences with the steps h, h/2, h/4, ... to a step of 0 (Richardson). The table has a row
/// for each step; column j is free of errors up to h^(2j).
class Extrapolation {
 public:
  /// Begins again with an empty table.
  void restart() { last_.clear(); }

  /// Adds a row with half the step of the last one. Returns its best estimate. The error is the largest change from
  /// neighbors in the table (Ridders 1982), or `rounding`, the rounding error of the difference, if that is larger. It
  /// is infinite for the first row.
  Estimate add(long double difference, double rounding);

 private:
  std::vector<long double> last_;
};

}  // namespace glossa
