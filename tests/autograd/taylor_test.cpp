#include "autograd/taylor_test.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "autograd/ops.h"

using namespace glossa;

namespace {

/// Taylor's test of an op with one parameter: y = f(x), dx = dy * df(x).
TaylorResult test_op(double x, const std::function<double(double)>& f, const std::function<double(double)>& df) {
  ParameterStore<double> store;
  Parameter<double>& parameter =
      store.declare("x", {1}, [x](std::span<double> values, const Shape&, RandomStream&) { values[0] = x; });
  store.allocate(1);
  return taylor_test(
      [&](Context<double>& c, auto) {
        const Variable<double> in = c.parameter(parameter);
        const Tensor<double> y = c.tensor({1});
        y[0] = f(in.value()[0]);
        return c.record("op", {in}, y, [&, at = in.value()[0]](Backward<double>& back) {
          back.add(0, [&](Index i) { return back.dy()[i] * df(at); });
        });
      },
      store);
}

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

TEST_CASE("Taylor's test fails if a derivative is not finite where the function is smooth") {
  for (const double broken : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const TaylorResult result = test_op(
        0.3, [](double x) { return std::sin(x); }, [=](double) { return broken; });
    CAPTURE(broken);
    CHECK_MESSAGE(result.judgment.verdict == Verdict::wrong, result.describe());
  }
}

TEST_CASE("Taylor's test finds faults of huge and of tiny gradients") {
  for (const double size : {1e200, 1e-200})
    for (const double factor : {1.0, 1.001}) {
      const TaylorResult result = test_op(
          0.3, [=](double x) { return size * std::sin(x); }, [=](double x) { return factor * size * std::cos(x); });
      CHECK_MESSAGE(result.passes() == (factor == 1), result.describe());
    }
}

TEST_CASE("Taylor's test is undecided if every derivative is 0") {
  const TaylorResult result = test_op(
      0.3, [](double) { return 1.0; }, [](double) { return 0.0; });
  CHECK_EQ(result.judgment.verdict, Verdict::undecided);
  CHECK(result.describe().starts_with(
      "undecided: every derivative is 0, which proves nothing. Hint: check at another point (the derivative along"));
}

TEST_CASE("Taylor's test refuses a function that returns other values each time") {
  double calls = 0;
  CHECK_THROWS_WITH_AS(test_op(
                           0.3, [&](double x) { return ++calls * x; }, [&](double) { return calls; }),
                       doctest::Contains("same values whenever it is called"), Error);
}
