// Arguments of ops that are refused, or that have an unusual shape.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "autograd/ops.h"

using namespace glossa;

TEST_CASE("attention refuses a scale that is not finite, in each form") {
  std::vector<double> numbers(2 * 12, 0.5);
  const std::vector<RowSpan> spans{{0, 2}};
  const RowLayout layout{.rows = 2, .sequences = spans};
  for (const double scale : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Context<double> context;
    context.begin({});
    const auto x = [&](Index cols) { return context.input({numbers.data(), {2, cols}}); };
    const AttentionOptions options{.heads = 2, .scale = scale};
    const auto why = doctest::Contains("expected a finite scale");
    CHECK_THROWS_WITH_AS(attention(x(4), x(4), x(4), layout, layout, options), why, Error);
    CHECK_THROWS_WITH_AS(self_attention(x(12), layout, options), why, Error);
    CHECK_THROWS_WITH_AS(cross_attention(x(4), x(8), layout, layout, options), why, Error);
  }
}

TEST_CASE("gather of no rows keeps the shape, and its gradient") {
  Context<double> context;
  context.begin({});
  for (const Shape& shape : {Shape{0, 5}, Shape{2, 0, 3}}) {
    const Variable<double> x = context.input({nullptr, shape}), y = gather(x, std::span<const int>{});
    CHECK(y.shape() == shape);
    context.backward(sum(y), true);
    CHECK(x.grad().shape == shape);
  }
  double number = 1;
  const Variable<double> one = context.input({&number, {1, 1}});
  CHECK(gather(one, std::span<const int>{}).shape() == Shape{1, 0});
}

TEST_CASE("back.add for an input of another shape hints at a sink") {
  std::vector<double> numbers(6, 1.0);
  Context<double> context;
  context.begin({});
  const Variable<double> x = context.input({numbers.data(), {6}});
  const Tensor<double> y = context.tensor({2});
  std::fill_n(y.data, 2, 0.0);
  const Variable<double> root = sum(context.record(
      "halve", {x}, y, [](Backward<double>& back) { back.add(0, [&](Index i) { return back.dy()[i / 3]; }); }));
  CHECK_THROWS_WITH_AS(context.backward(root),
                       doctest::Contains("[halve] expected an input of the value's shape [2] or one that broadcasts to "
                                         "it; got [6]. Hint: write the gradient of an input of another shape with "
                                         "back.sink(i).write(f)"),
                       Error);
}

TEST_CASE("gather names a bad index and its position") {
  std::vector<double> numbers(6, 1.0);
  Context<double> context;
  context.begin({});
  const Variable<double> x = context.input({numbers.data(), {2, 3}});
  const std::vector<int> indices{0, 2, 1, 3};
  CHECK_THROWS_WITH_AS(gather(x, indices), "[gather] expected indices in [0, 3) (the columns of [2, 3]); got 3 at 3",
                       Error);
}

namespace {

template <class V, class Axis>
concept sum_takes = requires(V x, Axis axis) {
  sum(x, axis);
};
template <class V, class Axis>
concept mean_takes = requires(V x, Axis axis) {
  mean(x, axis);
};
template <class V, class Axis>
concept max_takes = requires(V x, Axis axis) {
  max(x, axis);
};
template <class V, class Axis>
concept norm_takes = requires(V x, Axis axis) {
  norm(x, axis);
};
template <class V, class Axis>
concept var_takes = requires(V x, Axis axis) {
  var(x, axis);
};
template <class V, class Axis>
concept stddev_takes = requires(V x, Axis axis) {
  stddev(x, axis);
};

}  // namespace

TEST_CASE("true is not taken for axis 1") {
  using V = Variable<float>;
  CHECK((sum_takes<V, int> && sum_takes<V, unsigned> && !sum_takes<V, bool>));
  CHECK((mean_takes<V, int> && mean_takes<V, unsigned> && !mean_takes<V, bool>));
  CHECK((max_takes<V, int> && max_takes<V, unsigned> && !max_takes<V, bool>));
  CHECK((norm_takes<V, int> && norm_takes<V, unsigned> && !norm_takes<V, bool>));
  CHECK((var_takes<V, int> && var_takes<V, unsigned> && !var_takes<V, bool>));
  CHECK((stddev_takes<V, int> && stddev_takes<V, unsigned> && !stddev_takes<V, bool>));
}
