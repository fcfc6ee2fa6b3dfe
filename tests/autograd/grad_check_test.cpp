#include "autograd/grad_check.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "autograd/operators.h"
#include "autograd/ops.h"
#include "autograd/sanitizer.h"
#include "autograd/worse.h"

using namespace glossa;

namespace {

/// a * b with a derivative that a test may spoil: `da(g, i)` and `db(g, i)` change element i of the true gradient g.
template <class ChangeA, class ChangeB>
Variable<double> spoiled_mul(const Variable<double>& a, const Variable<double>& b, ChangeA da, ChangeB db) {
  Context<double>& c = context_of("spoiled_mul", {a, b});
  const Tensor<const double> x = c.read(a), z = c.read(b);
  const Tensor<double> y = c.tensor(x.shape);
  kernels::map(y, [&](Index i) { return x[i] * z[i]; });
  return c.record("spoiled_mul", {a, b}, y, [=](Backward<double>& back) {
    const Tensor<const double> dy = back.dy();
    back.add(0, [&](Index i) { return da(dy[i] * z[i], i); });
    back.add(1, [&](Index i) { return db(dy[i] * x[i], i); });
  });
}

constexpr auto unspoiled = [](double g, Index) { return g; };

struct Numbers {
  std::vector<double> a{0.5, -1.25, 2, 0.75, -0.5, 1.5}, b{1, -0.25, 0.5, 2, 1.25, -1.5};
  std::vector<Tensor<double>> tensors{{a.data(), {2, 3}}, {b.data(), {2, 3}}};
};

template <class ChangeA, class ChangeB>
GradCheckResult check_mul(ChangeA da, ChangeB db) {
  return grad_check([=](auto&, auto x) { return spoiled_mul(x[0], x[1], da, db); }, Numbers().tensors);
}

}  // namespace

TEST_CASE("a correct derivative passes, with every element of every input counted") {
  const GradCheckResult result = check_mul(unspoiled, unspoiled);
  CHECK(result.worst_error < 1e-11);
  CHECK(result.elements == 12);
  CHECK(result.kinks == 0);
  CHECK(result.largest > 0.1);
}

TEST_CASE("the result describes the gradient of a function with one output itself") {
  const auto described = [](auto change, const char* gradients) {
    const GradCheckResult result =
        grad_check([=](auto&, auto x) { return sum(spoiled_mul(x[0], x[1], unspoiled, change)); }, Numbers().tensors);
    INFO(result.describe());
    CHECK_NE(result.describe().find(gradients), std::string::npos);
  };
  described([](double g, Index i) { return i == 2 ? 1.5 * g : g; },
            "wrong at 1 of 12 elements: element 2 of input 1 [2, 3] has gradient 3 by backward and 2 by differences");
}

#if !GLOSSA_SANITIZES(address)  // which reports it at once, and ends the program
TEST_CASE("a derivative that reads released scratch is caught, even if the numbers are still there") {
  const auto square = [](Context<double>& c, std::span<const Variable<double>> inputs) {
    const Tensor<const double> x = c.read(inputs[0]);
    const Arena::Mark mark = c.scratch_mark();
    const Tensor<double> doubled = c.scratch(x.shape), y = c.tensor(x.shape);
    kernels::map(doubled, [&](Index i) { return 2 * x[i]; });
    kernels::map(y, [&](Index i) { return x[i] * x[i]; });
    return c.record("square", {inputs[0]}, y, [doubled](Backward<double>& back) {
      back.add(0, [&](Index i) { return doubled[i] * back.dy()[i]; });
    });
  };
  Numbers numbers;
  const GradCheckResult result = grad_check(square, std::span(numbers.tensors).first(1));
  CHECK_FALSE(result.worst_error < 1);
  CHECK(result.describe().find("or read memory from scratch()") != std::string::npos);
}
#endif

TEST_CASE("a derivative that does not write a whole sink, or ignores its `add`, is caught at first use") {
  const auto spoiled_square = [](auto write) {
    return [write](Context<double>& c, std::span<const Variable<double>> inputs) {
      const Tensor<const double> x = c.read(inputs[0]);
      const Tensor<double> y = c.tensor(x.shape);
      kernels::map(y, [&](Index i) { return x[i] * x[i]; });
      return c.record("square", {inputs[0]}, y, [=](Backward<double>& back) {
        const Tensor<const double> dy = back.dy();
        write(back.sink(0), [=](Index i) { return 2 * x[i] * dy[i]; });
      });
    };
  };
  const auto describe = [&](auto write) {
    Numbers numbers;
    return grad_check(spoiled_square(write), std::span(numbers.tensors).first(1)).describe();
  };
  CHECK(describe([](const Sink<double>& to, auto f) { to.write(f); }).starts_with("right"));
  const std::string replaced = describe([](const Sink<double>& to, auto f) { kernels::accumulate(to.grad, false, f); });
  CHECK_MESSAGE(replaced.find("replaces a gradient") != std::string::npos, replaced);
  const std::string unset = describe([](const Sink<double>& to, auto f) { kernels::accumulate(to.grad, true, f); });
  CHECK_MESSAGE(unset.find("zeroed() fills it") != std::string::npos, unset);
  const std::string partial = describe([](const Sink<double>& to, auto f) {
    for (Index i = 0; i + 1 < to.grad.size(); ++i) to.grad[i] = f(i) + (to.add ? to.grad[i] : 0);
  });
  CHECK_MESSAGE(partial.starts_with("wrong at 1 of 6 elements: element 5"), partial);
}

TEST_CASE("wrong derivatives are caught") {
  SUBCASE("a factor of 1.0005, which a tolerance of 1e-3 would miss") {
    CHECK(check_mul([](double g, Index) { return 1.0005 * g; }, unspoiled).worst_error > 4e-4);
  }
  SUBCASE("the sign of one element") {
    const GradCheckResult result = check_mul(unspoiled, [](double g, Index i) { return i == 4 ? -g : g; });
    CHECK(result.worst_error > 1.9);
    CHECK(result.worst_name == "input 1");
    CHECK(result.worst_index == 4);
    CHECK(result.describe().find("wrong at 1 of 12 elements: element 4 of input 1 [2, 3] has gradient") == 0);
    CHECK(result.describe().find("Hint") == std::string::npos);
  }
  SUBCASE("NaN") {
    CHECK(std::isinf(check_mul([](double, Index) { return NAN; }, unspoiled).worst_error));
  }
  SUBCASE("NaN in unsampled elements, and beside a kink") {
    std::vector<double> ones(100, 1.0), x = ones;
    x[7] = 0;
    const std::vector<Tensor<double>> tensors{{ones.data(), {100}}, {x.data(), {100}}};
    const auto nan_at = [](Index where) {
      return [=](auto&, auto in) {
        return abs(spoiled_mul(in[0], in[1], unspoiled, [=](double g, Index i) { return i == where ? NAN : g; }));
      };
    };
    for (const Index where : {7, 50}) {
      const GradCheckResult result = grad_check(nan_at(where), tensors, {.max_elements = 2});
      CHECK(std::isinf(result.worst_error));
      CHECK(result.worst_index == where);
    }
  }
  SUBCASE("a missing sum over a broadcast axis") {
    std::vector<double> x{1, 2, 3, 4, 5, 6}, row{0.5, -1, 2};
    const std::vector<Tensor<double>> tensors{{x.data(), {2, 3}}, {row.data(), {3}}};
    const auto add_row = [](auto&, std::span<const Variable<double>> in) {
      Context<double>& c = in[0].context();
      const Tensor<const double> a = in[0].value(), b = in[1].value();
      const Tensor<double> y = c.tensor(a.shape);
      kernels::map(y, [&](Index i) { return a[i] + b[i % 3]; });
      return c.record("add_row", in, y, [](Backward<double>& back) {
        const Tensor<const double> dy = back.dy();
        back.add(0, [&](Index i) { return dy[i]; });
        if (!back.needs(1)) return;
        const Sink<double> to = back.sink(1);
        kernels::accumulate(to.grad, to.add, [&](Index i) { return dy[i]; });  // the first row only
      });
    };
    const GradCheckResult result = grad_check(add_row, tensors);
    CHECK(result.worst_error > 0.1);
    CHECK(result.worst_name == "input 1");
    CHECK(grad_check(add_row, tensors, {.requires_grad = {true, false}}).worst_error < 1e-11);
  }
  SUBCASE("an op whose outputs add up to a constant") {
    // The derivative of softmax without its second term: a cotangent of ones would see an error only here and there.
    const auto halved = [](auto&, auto in) { return add(softmax(in[0]), stop_gradient(softmax(in[0]))); };
    CHECK(grad_check(halved, Numbers().tensors).worst_error > 0.4);
  }
}

TEST_CASE("steps that cross a kink are halved") {
  std::vector<double> x{0x1p-10, -0x1p-12, 1, -0x1p-16};
  const std::vector<Tensor<double>> tensors{{x.data(), {4}}};
  const GradCheckResult result = grad_check([](auto&, auto in) { return relu(in[0]); }, tensors);
  CHECK(result.worst_error < 1e-8);
  CHECK(result.kinks == 3);
  CHECK(result.elements == 4);
  CHECK(result.skipped == 0);
}

TEST_CASE("a norm with a tiny epsilon is right at a row of zeros") {
  std::vector<double> x{0, 0, 0, 0, 0.5, -1, 2, 0.25};
  const auto rms_norm = [](auto&, auto in) { return in[0] / sqrt(mean(square(in[0]), -1, true) + 1e-12); };
  const GradCheckResult result = grad_check(rms_norm, std::vector{Tensor<double>{x.data(), {2, 4}}});
  CHECK_MESSAGE(result.verdict() == Verdict::right, result.describe());
  CHECK(result.describe().starts_with("right: 8 elements compared; the worst, element"));
}

TEST_CASE("an element on a kink is skipped and counted") {
  std::vector<double> x{0, 1};
  const GradCheckResult result =
      grad_check([](auto&, auto in) { return abs(in[0]); }, std::vector{Tensor<double>{x.data(), {2}}});
  CHECK(result.skipped == 1);
  CHECK(result.elements == 1);
  CHECK(result.describe().find("1 on a kink skipped") != std::string::npos);
  CHECK(result.passes());
}

TEST_CASE("a check that compared nothing does not pass") {
  std::vector<double> x{0};
  const GradCheckResult result =
      grad_check([](auto&, auto in) { return abs(in[0]); }, std::vector{Tensor<double>{x.data(), {1}}});
  CHECK(result.verdict() == Verdict::undecided);
  CHECK_FALSE(result.passes());
}

TEST_CASE("NaN is worse than any other error") {
  CHECK(worse(1, 2) == 2);
  CHECK(worse(2, 1) == 2);
  CHECK(std::isinf(worse(1, NAN)));
  CHECK(std::isinf(worse(NAN, 1)));
}

TEST_CASE("errors beyond those of the differences are found, however small") {
  std::vector<double> x{0.3, -0.7};
  const auto check_exp = [&](double factor) {
    return grad_check(
        [factor](auto&, auto in) {
          const Variable<double> part = scale(in[0], factor);
          return exp(add(part, stop_gradient(sub(in[0], part))));
        },
        std::vector{Tensor<double>{x.data(), {2}}});
  };
  const GradCheckResult right = check_exp(1), wrong = check_exp(1 + 1e-9);
  CHECK(right.passes());
  CHECK(right.excess < 1e-12);
  CHECK(wrong.passes());  // within the limit
  CHECK(wrong.excess > 0.99e-9);
  CHECK(wrong.excess < 1.01e-9);
  CHECK(wrong.loose_error < 1e-3);
  CHECK_FALSE(check_exp(1 + 2e-8).passes());
}

TEST_CASE("parameters are perturbed, compared and restored") {
  ParameterStore<double> store;
  const auto draw = [](std::span<double> values, const Shape&, RandomStream& random) {
    for (double& value : values) value = random.normal();
  };
  Parameter<double>& weight = store.declare("linear.weight", {2, 3}, draw);
  Parameter<double>& bias = store.declare("linear.bias", {2}, draw);
  Parameter<double>& frozen = store.declare("frozen", {2}, draw);
  frozen.trainable = false;
  store.allocate(1);
  const std::vector<double> before(store.values().begin(), store.values().end());

  const GradCheckFunction layer = [&](Context<double>& c, std::span<const Variable<double>> x) {
    return mul(tanh(linear(x[0], c.parameter(weight), c.parameter(bias))), c.parameter(frozen));
  };
  const Numbers numbers;
  const std::vector<Tensor<double>> inputs{numbers.tensors[0]};
  const GradCheckResult result = grad_check(layer, inputs, store, {.floor = 0.01});
  CHECK(result.worst_error < 1e-8);
  CHECK(result.elements == 6 + 6 + 2);
  CHECK(std::ranges::equal(before, store.values()));
  CHECK(grad_check(layer, inputs, store, {.max_elements = 2}).elements == 6);
}

TEST_CASE("dropout is the same in every evaluation") {
  const auto dropped = [](auto&, auto in) { return dropout(in[0], 0.5); };
  CHECK(grad_check(dropped, Numbers().tensors).worst_error < 1e-11);
}

TEST_CASE("options that do not match the inputs are refused") {
  CHECK_THROWS_AS(grad_check([](auto&, auto in) { return neg(in[0]); }, Numbers().tensors, {.requires_grad = {true}}),
                  Error);
}

TEST_CASE("an input that the function ignores does not pass, one with a derivative of zero does") {
  const Numbers numbers;
  const std::vector<Tensor<double>>& two = numbers.tensors;
  const GradCheckResult ignored = grad_check([](auto&, auto in) { return square(in[0]); }, two);
  CHECK(ignored.worst_error < 1e-8);
  CHECK_FALSE(ignored.passes());
  CHECK(ignored.unused == "input 1");
  CHECK(ignored.describe().find("undecided: input 1 affects neither the result nor any gradient (12 elements") == 0);

  const auto constant = [](Context<double>& c, auto) { return full(c, {2}, 1); };
  CHECK(grad_check(constant, two).unused == "input 0");
  CHECK(grad_check([](auto&, auto in) { return add(square(in[0]), scale(in[1], 0)); }, two).passes());
  CHECK(grad_check([](auto&, auto in) { return square(in[0]); }, two, {.requires_grad = {true, false}}).passes());
  // The value depends on this input, but no gradient does: an error, reported as such.
  const GradCheckResult stopped = grad_check([](auto&, auto in) { return mul(in[0], stop_gradient(in[1])); }, two);
  CHECK(stopped.unused.empty());
  CHECK_FALSE(stopped.passes());
  CHECK(stopped.worst_name == "input 1");
}

TEST_CASE("the check has every element's error and verdict, by tensor") {
  GradCheckResult result = check_mul([](double g, Index i) { return i == 4 ? 1.5 * g : g; }, unspoiled);
  REQUIRE_EQ(result.tensors.size(), 2);
  for (const TensorCheck& tensor : result.tensors) {
    CHECK_EQ(tensor.shape, Shape{2, 3});
    for (std::size_t i = 0; i < 6; ++i) {
      const bool spoiled = tensor.name == "input 0" && i == 4;
      CHECK_EQ(tensor.verdicts[i], spoiled ? Verdict::wrong : Verdict::right);
      CHECK(tensor.errors[i] == doctest::Approx(spoiled ? 1.0 / 3 : 0).epsilon(1e-9));
    }
  }
  CHECK_EQ(result.tensors[1].name, "input 1");

  const Numbers numbers;
  result = grad_check([](auto&, auto x) { return spoiled_mul(x[0], x[1], unspoiled, unspoiled); }, numbers.tensors,
                      {.max_elements = 2});
  for (const TensorCheck& tensor : result.tensors) {
    CHECK_EQ(std::ranges::count_if(tensor.errors, [](double error) { return std::isnan(error); }), 4);
    CHECK_EQ(std::ranges::count(tensor.verdicts, Verdict::undecided), 4);
  }
}
