#include "autograd/extrapolation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glossa {

Estimate Extrapolation::add(long double difference, double rounding) {
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

}  // namespace glossa
