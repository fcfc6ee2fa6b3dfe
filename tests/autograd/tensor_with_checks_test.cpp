// Compiled with GLOSSA_BOUNDS_CHECKS=1, although libraries and other files of the program may be compiled without.
#include <doctest/doctest.h>

#include <vector>

#include "autograd/ops.h"
#include "base/check.h"

using namespace glossa;

static_assert(GLOSSA_BOUNDS_CHECKS);

namespace {

/// A copy of `x`, by an op whose value or derivative reads one element too far.
Variable<double> reads_too_far(const Variable<double>& x, Index forward, Index backward) {
  Context<double>& c = x.context();
  const Tensor<const double> in = c.read(x);
  const Tensor<double> y = c.tensor(in.shape);
  kernels::map(y, [&](Index i) { return in[i + forward]; });
  return c.record("reads_too_far", {x}, y, [backward](Backward<double>& back) {
    back.add(0, [dy = back.dy(), backward](Index i) { return dy[i + backward]; });
  });
}

}  // namespace

TEST_CASE("with checks, operator[] and row of any tensor throw for an index outside") {
  const std::vector<double> numbers{1, 2, 3, 4, 5, 6};
  Context<double> context;
  context.begin({});
  const Variable<double> x = context.input({numbers, {2, 3}}), y = square(x);
  context.backward(sum(y));
  CHECK(y.value()[5] == 36);
  CHECK(y.value().row(1)[0] == 16);
  CHECK(x.grad()[5] == 12);
  const auto message = doctest::Contains("[tensor] expected an index in [0, 6) for shape [2, 3]; got 99");
  CHECK_THROWS_WITH_AS(y.value()[99], message, Error);
  CHECK_THROWS_WITH_AS(x.grad()[99], message, Error);
  CHECK_THROWS_WITH_AS(y.value().row(99), "[tensor] expected a row in [0, 2) for shape [2, 3]; got 99", Error);
  for (const Index outside : {-1, 6}) CHECK_THROWS_AS(y.value()[outside], Error);
  for (const Index outside : {-1, 2}) CHECK_THROWS_AS(y.value().row(outside), Error);
}

TEST_CASE("with checks, an error in the loop of an op reaches the caller, from any number of threads") {
  const std::vector<double> numbers(3 * kernels::elementwise_grain, 1);
  const int before = threads();
  for (const int count : {1, 2}) {
    set_threads(count);
    Context<double> context;
    context.begin({});
    const Variable<double> x = context.input({numbers, {3, kernels::elementwise_grain}});
    CHECK_THROWS_WITH_AS(reads_too_far(x, 1, 0), doctest::Contains("got 24576"), Error);
    CHECK_THROWS_WITH_AS(context.backward(sum(reads_too_far(x, 0, 1))), doctest::Contains("got 24576"), Error);
  }
  set_threads(before);
}
