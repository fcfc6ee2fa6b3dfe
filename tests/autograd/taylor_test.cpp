#include "autograd/taylor_test.h"

#include <doctest/doctest.h>

#include <cmath>

#include "autograd/ops.h"

using namespace glossa;

namespace {

/// sum of tanh(a b), the derivative of b times `factor`.
double slope(double factor) {
  ParameterStore<double> store;
  const auto draw = [](std::span<double> values, const Shape&, RandomStream& random) {
    for (double& value : values) value = random.normal();
  };
  Parameter<double>&a = store.declare("a", {3, 4}, draw), &b = store.declare("b", {3, 4}, draw);
  store.allocate(1);
  const std::vector<double> before(store.values().begin(), store.values().end());
  const double result = taylor_test(
                            [&](Context<double>& c, auto) {
                              const Variable<double> y = c.parameter(b), part = scale(y, factor);
                              return sum(tanh(mul(c.parameter(a), add(part, stop_gradient(sub(y, part))))));
                            },
                            store)
                            .slope;
  CHECK(std::ranges::equal(before, store.values()));
  return result;
}

}  // namespace

TEST_CASE("Taylor's remainder falls as the square of the step only if every derivative is correct") {
  CHECK(slope(1) == doctest::Approx(2).epsilon(0.02));
  CHECK(slope(1.05) < 1.9);
  CHECK(slope(0) < 1.2);
}

TEST_CASE("Taylor's test keeps its steps on one side of a kink") {
  ParameterStore<double> store;
  Parameter<double>& x = store.declare("x", {2}, [](std::span<double> values, const Shape&, RandomStream&) {
    values[0] = 1e-3;
    values[1] = -1e-3;
  });
  store.allocate(1);
  const TaylorResult result = taylor_test(
      [&](Context<double>& c, auto) {
        const Variable<double> y = relu(c.parameter(x));
        return sum(exp(y));
      },
      store);
  CHECK(result.step < 1e-2);
  CHECK(result.slope == doctest::Approx(2).epsilon(0.02));
}

TEST_CASE("Taylor's test fails on NaN") {
  ParameterStore<double> store;
  Parameter<double>& x =
      store.declare("x", {1}, [](std::span<double> values, const Shape&, RandomStream&) { values[0] = -1; });
  store.allocate(1);
  CHECK(taylor_test([&](Context<double>& c, auto) { return log(c.parameter(x)); }, store).slope == 0);
}

TEST_CASE("Taylor's test fails without room before the next kink") {
  ParameterStore<double> store;
  Parameter<double>& x =
      store.declare("x", {1}, [](std::span<double> values, const Shape&, RandomStream&) { values[0] = 0; });
  store.allocate(1);
  CHECK(taylor_test([&](Context<double>& c, auto) { return square(abs(c.parameter(x))); }, store).slope == 0);
}
