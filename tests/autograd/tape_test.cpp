#include "autograd/tape.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"

using namespace glossa;

namespace {

/// A context in its first step with one leaf of three numbers.
struct Step {
  std::vector<double> numbers{2, -3, 0.5};
  Context<double> context;
  Variable<double> x;

  Step() {
    context.begin({});
    x = context.input({numbers.data(), {3}});
  }

  void backward_from(const Variable<double>& y) {
    static std::vector<double> ones(3, 1.0);
    context.backward(y, {ones.data(), {3}});
  }
};

std::vector<double> grad_of(const Variable<double>& x) {
  const auto grad = x.grad().span();
  return {grad.begin(), grad.end()};
}

using Vector = std::vector<double>;

}  // namespace

TEST_CASE_FIXTURE(Step, "a diamond adds both paths") {
  const auto left = scale(x, 2.0), right = scale(x, 5.0);
  backward_from(add(left, right));
  CHECK(grad_of(x) == Vector{7, 7, 7});
}

TEST_CASE_FIXTURE(Step, "a variable on a hundred paths gets the sum of all") {
  auto sum = x;
  for (int i = 1; i < 100; ++i) sum = add(sum, x);
  backward_from(sum);
  CHECK(grad_of(x) == Vector{100, 100, 100});
}

TEST_CASE_FIXTURE(Step, "one variable can be both operands of an op") {
  backward_from(mul(x, x));
  CHECK(grad_of(x) == Vector{4, -6, 1});
}

TEST_CASE_FIXTURE(Step, "one variable can be every operand of an op that writes their gradients side by side") {
  const auto leaf = [&] { return context.input({numbers.data(), {3, 1}}); };
  const auto every = leaf(), query = leaf(), key = leaf(), value = leaf();
  const RowSpan all{0, 3};
  const RowLayout layout{.rows = 3, .sequences = {&all, 1}};
  const auto attend = [&](const auto& q, const auto& k, const auto& v) {
    return attention<double>(q, k, v, layout, layout, {.heads = 1});
  };
  context.backward(sum(add(attend(every, every, every), attend(query, key, value))));
  for (Index i = 0; i < 3; ++i)
    CHECK(every.grad()[i] == doctest::Approx(query.grad()[i] + key.grad()[i] + value.grad()[i]).epsilon(1e-14));
}

TEST_CASE_FIXTURE(Step, "a residual x + f(x) + g(x) gets all three gradients") {
  backward_from(add(add(x, scale(x, 3.0)), square(x)));
  CHECK(grad_of(x) == Vector{8, -2, 5});
}

TEST_CASE_FIXTURE(Step, "a chain of 10,000 ops does not overflow the stack") {
  auto y = x;
  for (int i = 0; i < 10000; ++i) y = neg(y);
  backward_from(y);
  CHECK(grad_of(x) == Vector{1, 1, 1});
}

TEST_CASE_FIXTURE(Step, "a variable that the root does not depend on has gradient zero") {
  for (const Index size : {1000, 2000}) std::ranges::fill(context.tensor({size}).span(), 7.0);
  context.begin({});  // over used memory
  x = context.input({numbers.data(), {3}});
  const auto unused = context.input({numbers.data(), {3}});
  square(unused);
  backward_from(neg(x));
  CHECK(grad_of(unused) == Vector{0, 0, 0});
}

TEST_CASE_FIXTURE(Step, "stop_gradient blocks the gradient") {
  backward_from(mul(x, stop_gradient(x)));
  CHECK(grad_of(x) == numbers);
  CHECK_FALSE(stop_gradient(x).requires_grad());
}

TEST_CASE_FIXTURE(Step, "constants record nothing") {
  const auto fixed = context.constant({numbers.data(), {3}});
  const int before = context.tape().size();
  CHECK_FALSE(square(fixed).requires_grad());
  CHECK(context.tape().size() == before);
  CHECK_THROWS_AS(fixed.grad(), Error);
  CHECK_THROWS_AS(backward_from(square(fixed)), Error);
}

TEST_CASE_FIXTURE(Step, "the root's own gradient is the cotangent") {
  const auto y = square(x);
  y.retain_grad();
  backward_from(y);
  CHECK(grad_of(y) == Vector{1, 1, 1});
}

TEST_CASE_FIXTURE(Step, "an intermediate gradient is kept only on request") {
  const auto kept = scale(x, 2.0), lost = scale(x, 2.0);
  kept.retain_grad();
  backward_from(mul(kept, lost));
  CHECK(grad_of(kept) == Vector{4, -6, 1});
  CHECK_THROWS_WITH_AS(lost.grad(), doctest::Contains("Hint: call retain_grad() on it before backward"), Error);
}

TEST_CASE_FIXTURE(Step, "a released gradient can no longer be retained") {
  const auto lost = scale(x, 2.0);
  backward_from(square(lost));
  CHECK_THROWS_WITH_AS(lost.retain_grad(), doctest::Contains("[retain_grad] expected a call before backward"), Error);
}

TEST_CASE_FIXTURE(Step, "reading a gradient before backward is an error") { CHECK_THROWS_AS(x.grad(), Error); }

TEST_CASE_FIXTURE(Step, "a second backward is an error unless the graph is kept") {
  const auto y = square(x);
  const Tensor<double> ones{numbers.data(), {3}};
  context.backward(y, ones, true);
  CHECK_NOTHROW(context.backward(y, ones));
  CHECK_THROWS_WITH_AS(
      context.backward(y, ones),
      doctest::Contains(
          "Hint: call context.begin() for every step; for several roots in one step, add them, or pass keep_graph"),
      Error);
}

TEST_CASE("a step must be begun, and must record for backward") {
  Context<double> context;
  const double number = 2;
  const Tensor<const double> value{&number, {}};
  ParameterStore<double> store;
  Parameter<double>& parameter =
      store.declare("weight", {}, [](std::span<double> values, const Shape&, RandomStream&) { values[0] = 3; });
  store.allocate(1);
  const auto why = doctest::Contains("[context] expected a step; got none. Hint: call context.begin() for every step");
  CHECK_THROWS_WITH_AS(context.constant(value), why, Error);
  CHECK_THROWS_WITH_AS(context.input(value), why, Error);
  CHECK_THROWS_WITH_AS(context.parameter(parameter), why, Error);
  context.begin({.recording = false});
  CHECK_THROWS_WITH_AS(
      context.backward(square(context.input(value))),
      doctest::Contains("[backward] expected a step that records; got one begun with recording = false"), Error);
  context.begin({});
  CHECK_THROWS_WITH_AS(context.backward(square(context.constant(value))), doctest::Contains("got a constant. Hint: "),
                       Error);
  context.backward(square(context.parameter(parameter)));
  CHECK(parameter.grad_tensor()[0] == 6);
}

TEST_CASE_FIXTURE(Step, "if the graph is kept, leaves add up and intermediate gradients start afresh") {
  const auto y = square(x);
  y.retain_grad();
  for (int walk = 1; walk <= 3; ++walk) {
    context.backward(sum(y), /*keep_graph=*/true);
    CHECK(grad_of(y) == Vector{1, 1, 1});
    CHECK(grad_of(x) == Vector{walk * 4.0, walk * -6.0, walk * 1.0});
  }
}

TEST_CASE_FIXTURE(Step, "the root may be a leaf, to which every backward adds") {
  for (int walk = 1; walk <= 2; ++walk) {
    context.backward(x, {numbers.data(), {3}}, /*keep_graph=*/true);
    CHECK(grad_of(x) == Vector{walk * 2.0, walk * -3.0, walk * 0.5});
  }
}

TEST_CASE_FIXTURE(Step, "using a variable of a finished step is an error") {
  const auto y = square(x);
  context.begin({});
  CHECK_THROWS_WITH_AS(neg(y), doctest::Contains("[neg] expected a value of the current step"), Error);
  CHECK_THROWS_WITH_AS(scale(y, 2.0), doctest::Contains("[scale]"), Error);
  CHECK_THROWS_WITH_AS(mul(y, y), doctest::Contains("[mul]"), Error);
  CHECK_THROWS_WITH_AS(split(y, std::vector<Index>{1, 2}, 0), doctest::Contains("[split]"), Error);
  CHECK_THROWS_AS(y.value(), Error);
  CHECK_THROWS_AS(y.grad(), Error);
  CHECK(context.tape().size() == 0);
}

TEST_CASE_FIXTURE(Step, "the trace of non-finite numbers names the first op that produced one") {
  context.trace_finite(true);
  square(x);
  CHECK(context.first_nonfinite().empty());
  exp(exp(scale(x, 1e3)));
  CHECK(context.first_nonfinite() == "exp [3]: element 0 is inf");
  context.begin({});
  CHECK(context.first_nonfinite().empty());
}

TEST_CASE_FIXTURE(Step, "mixing two contexts in one op is an error") {
  Context<double> other;
  other.begin({});
  const auto foreign = other.input({numbers.data(), {3}});
  CHECK_THROWS_WITH_AS(add(x, foreign), doctest::Contains("[add] expected inputs of one context"), Error);
}

TEST_CASE("the value of another context is no factor, in either precision") {
  const std::vector<float> numbers(4, 1.0f);
  for (const Precision precision : {Precision::full, Precision::bf16}) {
    Context<float> context, other;
    context.begin({.precision = precision});
    other.begin({.precision = precision});
    const auto foreign = other.input({numbers.data(), {2, 2}});
    CHECK_THROWS_WITH_AS(context.factor(foreign), doctest::Contains("expected a value of the reading context"), Error);
  }
}

TEST_CASE_FIXTURE(Step, "a cotangent of another shape and a root that is not a scalar are errors") {
  const auto y = square(x);
  CHECK_THROWS_WITH_AS(context.backward(y), doctest::Contains("[3]"), Error);
  CHECK_THROWS_WITH_AS(context.backward(y, {numbers.data(), {1}}), doctest::Contains("[1]"), Error);
}

namespace {

/// a b by a custom op that looks at the context of `a` only, and whose derivative omits `b` on request.
Variable<double> own_mul(const Variable<double>& a, const Variable<double>& b, bool forgets) {
  Context<double>& c = a.context();
  const Tensor<const double> x = c.read(a), z = c.read(b);
  const Tensor<double> y = c.tensor(x.shape);
  kernels::map(y, [&](Index i) { return x[i] * z[i]; });
  return c.record("own_mul", {a, b}, y, [x, z, forgets](Backward<double>& back) {
    const Tensor<const double> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i] * z[i]; });
    if (!forgets) back.add(1, [&](Index i) { return dy[i] * x[i]; });
  });
}

}  // namespace

TEST_CASE_FIXTURE(Step, "a custom op that mixes two contexts, or whose derivative omits an input, is an error") {
  Context<double> other;
  other.begin({});
  const auto foreign = other.input({numbers.data(), {3}});
  CHECK_THROWS_WITH_AS(own_mul(x, foreign, false), doctest::Contains("expected a value of the reading context"), Error);
  CHECK_THROWS_WITH_AS(context.record("mixed", {x, foreign}, context.tensor({3}), [](Backward<double>&) {}),
                       doctest::Contains("[mixed] expected inputs of one context"), Error);
  const auto constant = context.constant({numbers.data(), {3}});
  CHECK_NOTHROW(backward_from(own_mul(x, constant, true)));
  context.begin({});
  x = context.input({numbers.data(), {3}});
  CHECK_THROWS_WITH_AS(backward_from(own_mul(x, neg(x), true)), doctest::Contains("[own_mul]"), Error);
  context.begin({});
  x = context.input({numbers.data(), {3}});
  backward_from(own_mul(x, x, false));
  CHECK(grad_of(x) == Vector{4, -6, 1});
}

TEST_CASE_FIXTURE(Step, "a root of another context, a nonexistent input and adding to one twice are errors") {
  Context<double> other;
  other.begin({});
  const auto foreign = square(other.input({numbers.data(), {3}}));
  CHECK_THROWS_WITH_AS(backward_from(foreign), doctest::Contains("[backward] expected a root of this context"), Error);
  const auto with = [&](auto derivative) {
    context.begin({});
    x = context.input({numbers.data(), {3}});
    const Tensor<double> y = context.tensor({3});
    std::ranges::fill(y.span(), 1.0);
    backward_from(context.record("mine", {x}, y, derivative));
  };
  CHECK_THROWS_WITH_AS(with([](Backward<double>& back) { back.add(1, [](Index) { return 1.0; }); }),
                       doctest::Contains("[mine] expected one of the 1 inputs"), Error);
  CHECK_THROWS_WITH_AS(with([](Backward<double>& back) { back.add(-1, [](Index) { return 1.0; }); }),
                       doctest::Contains("got -1"), Error);
  CHECK_THROWS_WITH_AS(with([](Backward<double>& back) {
                         back.add(0, [](Index) { return 1.0; });
                         back.add(0, [](Index) { return 1.0; });
                       }),
                       doctest::Contains("got input 0 twice"), Error);
}

TEST_CASE("using a variable that was never assigned is an error") {
  CHECK_THROWS_AS(Variable<double>().value(), Error);
  CHECK_THROWS_WITH_AS(neg(Variable<double>()), doctest::Contains("[neg]"), Error);
}

TEST_CASE("a thousand steps use the memory of one") {
  Step step;
  std::size_t bytes = 0, asked = 0;
  for (int update = 0; update < 1000; ++update) {
    step.context.begin({});
    CHECK(step.context.tape().size() == 0);
    CHECK(step.context.arena().bytes_used() == 0);
    step.x = step.context.input({step.numbers.data(), {3}});
    step.backward_from(square(neg(step.x)));
    if (update == 2) {
      bytes = step.context.arena().peak_bytes();
      asked = step.context.heap_allocations();
    }
  }
  CHECK(step.context.arena().peak_bytes() == bytes);
  CHECK(step.context.heap_allocations() == asked);
}

TEST_CASE("tied parameters share one gradient, frozen ones have none") {
  ParameterStore<double> store;
  const auto ones = [](std::span<double> values, const Shape&, RandomStream&) { std::ranges::fill(values, 2.0); };
  Parameter<double>& tied = store.declare("tied", {3}, ones);
  Parameter<double>& frozen = store.declare("frozen", {3}, ones);
  frozen.trainable = false;
  store.allocate(1);
  Step step;
  const auto once = mul(step.x, step.context.parameter(tied));
  const auto twice = mul(once, step.context.parameter(tied));
  step.backward_from(add(twice, step.context.parameter(frozen)));
  store.fill_unset_grads();
  CHECK(tied.grad_tensor()[0] == 2 * 2.0 * 2.0);
  CHECK(grad_of(step.x) == Vector{4, 4, 4});
}

namespace {

/// A context with a leaf large enough for its memory to be worth reusing.
struct LargeStep {
  std::vector<double> numbers = std::vector<double>(64 * 64, 0.5);
  Context<double> context;
  Variable<double> x;

  LargeStep() {
    context.begin({.training = true});
    x = context.input({numbers.data(), {64, 64}});
  }
};

}  // namespace

TEST_CASE_FIXTURE(LargeStep,
                  "backward reuses the memory of values: reading one later is an error, unless it was retained") {
  const auto y = tanh(x), kept = square(y), loss = sum(exp(kept));
  kept.retain_grad();
  context.backward(loss);
  CHECK(loss.value()[0] > 0);
  CHECK(kept.value()[5] == doctest::Approx(std::tanh(0.5) * std::tanh(0.5)));
  CHECK(x.value()[5] == 0.5);
  CHECK_THROWS_WITH_AS(y.value(), doctest::Contains("retain_grad"), Error);
}

TEST_CASE_FIXTURE(LargeStep, "the root and small values stay readable after backward") {
  const auto y = tanh(x), rows = sum(y, 1), root = add(exp(y), scale(rows, 2.0));
  context.backward(root, {numbers.data(), {64, 64}});
  CHECK(rows.value()[0] == doctest::Approx(64 * std::tanh(0.5)));
  CHECK(root.value()[5] == std::exp(std::tanh(0.5)) + 2 * rows.value()[5]);
}

TEST_CASE("every step gives the numbers of a first one, with and without reuse of memory") {
  constexpr Index n = 64;
  std::vector<double> numbers(n * n), weights(n * n);
  RandomStream random(1, "steps");
  for (double& x : numbers) x = random.normal();
  for (double& weight : weights) weight = random.normal() / 8;
  const std::vector<int> targets(n, 3);
  std::size_t bytes = 0;  // requested by backward
  const auto gradients = [&](Context<double>& context, bool deep) {
    context.begin({});
    const auto in = context.input({numbers.data(), {n, n}}), w = context.input({weights.data(), {n, n}});
    auto y = in;
    if (deep) {
      const auto wide = linear(tanh(linear(in, w)), w), row = sum(mul(wide, exp(wide)), 0);
      y = mul(square(add(wide, row)), in);
    }
    const auto loss = linear_cross_entropy<double>(y, w, targets, -1).sum;
    const std::size_t before = context.arena().bytes_used();
    context.backward(loss);
    bytes = context.arena().bytes_used() - before;
    Vector both = grad_of(in);
    for (const double g : grad_of(w)) both.push_back(g);
    return both;
  };
  Context<double> without, with;
  without.set_reuse(false);
  const Vector deep = gradients(without, true);
  CHECK(bytes >= 10 * n * n * sizeof(double));  // a gradient for every value
  const Vector shallow = gradients(without, false);
  for (int step = 0; step < 3; ++step) {
    CHECK(gradients(with, true) == deep);
    CHECK(bytes <= 5 * n * n * sizeof(double));
    CHECK(gradients(with, false) == shallow);
  }
}

TEST_CASE_FIXTURE(LargeStep, "an op computes in place in its value's gradient unless that is retained") {
  const RowSpan all{0, 64};
  const auto y = linear_relu(x, neg(x), 0, {.rows = 64, .sequences = {&all, 1}});  // below 0: no gradient passes
  y.retain_grad();
  context.backward(sum(y));
  CHECK(y.grad()[5] == 1);
  CHECK(x.grad()[5] == 0);
}

TEST_CASE_FIXTURE(LargeStep, "values with a view, and all values of a kept graph, are not overwritten") {
  const auto y = tanh(x), view = reshape(y, {64 * 64});
  context.backward(sum(exp(view)));
  CHECK(y.value()[5] == std::tanh(0.5));
  CHECK(view.value()[5] == std::tanh(0.5));

  context.begin({});
  const auto input = context.input({numbers.data(), {64, 64}}), z = tanh(input);
  context.backward(sum(exp(z)), /*keep_graph=*/true);
  CHECK(z.value()[5] == std::tanh(0.5));
}

TEST_CASE_FIXTURE(LargeStep, "a branch's memory is reused only if nothing else reads it") {
  const RowSpan all{0, 64};
  const RowLayout layout{.rows = 64, .sequences = {&all, 1}};
  const auto bytes_of_adding = [&](const Variable<double>& branch) {
    const std::size_t before = context.arena().bytes_used();
    add_dropout(x, branch, 0.5, layout);
    return context.arena().bytes_used() - before;
  };
  const std::size_t matrix = 64 * 64 * sizeof(double);
  const auto branch = linear(x, x);
  CHECK(bytes_of_adding(branch) < matrix);
  CHECK_THROWS_WITH_AS(branch.value(), doctest::Contains("later op"), Error);
  CHECK_THROWS_WITH_AS(mul(branch, x), doctest::Contains("later op"), Error);

  const auto shared = linear(x, x);
  mul(shared, shared);  // its derivative reads it
  CHECK(bytes_of_adding(shared) >= matrix);
  CHECK_NOTHROW(shared.value());

  const auto activated = tanh(x);  // reads its own value
  CHECK(bytes_of_adding(activated) >= matrix);
  CHECK(activated.value()[0] == std::tanh(0.5));

  const auto kept = linear(x, x);
  kept.retain_grad();
  CHECK(bytes_of_adding(kept) >= matrix);

  context.set_reuse(false);
  CHECK(bytes_of_adding(linear(x, x)) >= matrix);
}

TEST_CASE("gradients use memory that an op releases, unless the graph is kept") {
  constexpr Index n = 64;
  std::vector<double> x(n * n), weight(n * n);
  RandomStream random(1, "given");
  for (double& number : x) number = random.normal();
  for (double& number : weight) number = random.normal();
  const std::vector<int> targets(n, 3);
  Context<double> context;
  std::size_t asked = 0;
  const auto gradients = [&](bool keep_graph, int walks) {
    context.begin({});
    const Variable<double> in = context.input({x.data(), {n, n}}), w = context.input({weight.data(), {n, n}});
    const Variable<double> loss = linear_cross_entropy<double>(scale(in, 0.5), w, targets, -1).sum;
    const std::size_t before = context.arena().bytes_used();
    for (int walk = 0; walk < walks; ++walk) context.backward(loss, keep_graph);
    asked = context.arena().bytes_used() - before;
    Vector both = grad_of(in);
    for (const double g : grad_of(w)) both.push_back(g);
    return both;
  };
  const Vector once = gradients(false, 1);
  CHECK(asked < 3 * n * n * sizeof(double));  // gradients of in, of 0.5 in, and of w
  CHECK(gradients(true, 1) == once);
  CHECK(asked >= 3 * n * n * sizeof(double));
  Vector twice = once;
  for (double& g : twice) g *= 2;
  CHECK(gradients(true, 2) == twice);
}
