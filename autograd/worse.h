#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace glossa {

/// The larger of two errors. NaN counts as infinite; std::max(a, NaN) would return `a` and hide the NaN.
inline double worse(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::infinity() : std::max(a, b);
}

}  // namespace glossa
