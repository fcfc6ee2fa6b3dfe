#include "autograd/operators.h"

#include <doctest/doctest.h>

#include <vector>

#include "autograd/grad_check.h"

using namespace glossa;

TEST_CASE("operators compute the written expression, with a number on either side") {
  std::vector<double> three{1, 2, 4}, one{8};
  Context<double> context;
  context.begin({});
  const Variable<double> a = context.input({three.data(), {3}}), b = context.input({one.data(), {1}});
  const auto values = [](const Variable<double>& y) {
    return std::vector<double>(y.value().data, y.value().data + y.size());
  };
  using Row = std::vector<double>;
  CHECK(values(-a) == Row{-1, -2, -4});
  CHECK(values(a + b) == Row{9, 10, 12});
  CHECK(values(a - b) == Row{-7, -6, -4});
  CHECK(values(a * b) == Row{8, 16, 32});
  CHECK(values(a / b) == Row{0.125, 0.25, 0.5});
  CHECK(values(a + 0.5) == Row{1.5, 2.5, 4.5});
  CHECK(values(0.5 + a) == values(a + 0.5));
  CHECK(values(a - 1) == Row{0, 1, 3});
  CHECK(values(1 - a) == Row{0, -1, -3});
  CHECK(values(a * 2.0) == Row{2, 4, 8});
  CHECK(values(2 * a) == values(a * 2.0));
  CHECK(values(a / 2) == Row{0.5, 1, 2});
  CHECK(values(8 / a) == Row{8, 4, 2});
  CHECK(a.shape() == (a + 1).shape());
}

TEST_CASE("gradients flow through operators") {
  std::vector<double> numbers{0.5, -1.25, 2, 3, 0.75, -2};
  const Tensor<double> inputs[] = {{numbers.data(), {2, 3}}, {numbers.data() + 3, {3}}};
  const GradCheckResult result = grad_check(
      [](Context<double>&, std::span<const Variable<double>> x) {
        return (1 - x[0]) * x[1] / (2 + x[0] * x[0]) - x[0] / 3 + 1 / (x[1] * x[1] + 1) + (-x[0] + 2 - 0.5 * x[1]);
      },
      inputs);
  CHECK_MESSAGE(result.passes(), result.describe());
}

TEST_CASE("combining a number with a variable of a finished step is an error") {
  double number = 1;
  Context<double> context;
  context.begin({});
  const Variable<double> x = context.input({&number, {1}});
  context.begin({});
  CHECK_THROWS_AS(x + 1, Error);
  CHECK_THROWS_AS(2 * x, Error);
}
