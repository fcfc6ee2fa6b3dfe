#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace glossa {

/// The larger of two errors. NaN counts as infinite: std::max(worst, NaN) would hide NaN by returning `worst`.
inline double worse(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::infinity() : std::max(a, b);
}

}  // namespace glossa
