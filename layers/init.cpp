#include "layers/init.h"

#include <algorithm>
#include <cmath>

namespace glossa::init {

Initializer constant(double value) {
  return [value](std::span<double> values, const Shape&, RandomStream&) { std::ranges::fill(values, value); };
}

Initializer uniform(double bound) {
  return [bound](std::span<double> values, const Shape&, RandomStream& random) {
    std::ranges::generate(values, [&] { return bound * (2 * random.uniform() - 1); });
  };
}

Initializer normal(double std) {
  return [std](std::span<double> values, const Shape&, RandomStream& random) {
    std::ranges::generate(values, [&] { return std * random.normal(); });
  };
}

Initializer diagonal(double value) {
  return [value](std::span<double> values, const Shape& shape, RandomStream&) {
    const std::size_t k = static_cast<std::size_t>(shape.cols());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i / k % k == i % k ? value : 0;
  };
}

Initializer xavier_uniform(double gain) {
  return [gain](std::span<double> values, const Shape& shape, RandomStream& random) {
    uniform(gain * std::sqrt(6.0 / static_cast<double>(shape[0] + shape[1])))(values, shape, random);
  };
}

}  // namespace glossa::init
