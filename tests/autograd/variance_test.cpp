#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "autograd/ops.h"

using namespace glossa;

namespace {

/// In double, by the definition.
double variance(const std::vector<float>& numbers, int correction) {
  const double n = static_cast<double>(numbers.size());
  double mean = 0, squares = 0;
  for (const float x : numbers) mean += static_cast<double>(x) / n;
  for (const float x : numbers) squares += (x - mean) * (x - mean);
  return squares / (n - correction);
}

}  // namespace

TEST_CASE("var in float keeps its digits if the numbers are large beside their deviations") {
  RandomStream random(1, "variance");
  Context<float> context;
  for (const double mean : {0.0, 1.0, 1e4, -1e6})
    for (const Index n : {2, 3, 4, 7, 10, 50, 51, 20001}) {
      std::vector<float> numbers(n);
      for (float& x : numbers) x = static_cast<float>(mean + random.normal());
      for (const int correction : {0, 1}) {
        context.begin({});
        const Variable<float> x = context.input({numbers.data(), {n}});
        const Variable<float> y = var(x, 0, false, correction), root = stddev(x, 0, false, correction);
        const double expected = variance(numbers, correction);
        CAPTURE(mean);
        CAPTURE(n);
        CHECK(y.value()[0] == doctest::Approx(expected).epsilon(1e-5));
        CHECK(root.value()[0] == doctest::Approx(std::sqrt(expected)).epsilon(1e-5));
      }
    }
}

TEST_CASE("the gradients of var add up to 0 in float, with a large mean as well") {
  RandomStream random(1, "gradient");
  std::vector<float> numbers(100);
  for (float& x : numbers) x = static_cast<float>(1e4 + 1e-2 * random.normal());
  Context<float> context;
  context.begin({});
  const Variable<float> x = context.input({numbers.data(), {100}});
  context.backward(var(x));
  double sum = 0, size = 0;
  for (const float g : x.grad().span()) {
    sum += g;
    size += std::abs(g);
  }
  CHECK(std::abs(sum) < 1e-5 * size);
}
