#include <doctest/doctest.h>

#include <vector>

#include "autograd/context.h"
#include "autograd/ops.h"
#include "base/check.h"

using namespace glossa;

namespace {

void ones(std::span<double> values, const Shape&, RandomStream&) { std::ranges::fill(values, 1.0); }

/// A loss of two parameters, one of which is in two parts.
struct Loss {
  ParameterStore<double> store;
  Parameter<double>& bias = store.declare("bias", {2}, ones);
  Parameter<double>& whole = store.declare("weight", {4, 2}, ones);
  Parameter<double>&first = store.part(whole, 0, 2), &second = store.part(whole, 2, 4);
  Context<double> context;

  Loss() { store.allocate(1); }

  Variable<double> forward() {
    context.begin({});
    return sum(add(context.parameter(first), context.parameter(bias)));
  }

  std::string refusal(const Variable<double>& root) {
    try {
      context.backward(root);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

const std::string weight_refused =
    "[weight] expected the value that the forward pass read; got one changed since, as by an optimizer's step. Hint: "
    "call backward before step";

}  // namespace

TEST_CASE_FIXTURE(Loss, "backward refuses a value that has changed since it was read, before any gradient changes") {
  const Variable<double> old = forward();
  bias.mark_changed();
  CHECK(refusal(old).starts_with("[bias] expected the value that the forward pass read"));
  CHECK_FALSE(bias.has_grad());
  CHECK_FALSE(whole.has_grad());
  CHECK(refusal(forward()) == "");
  CHECK(bias.has_grad());
  const Variable<double> last = forward();
  store.mark_changed();
  CHECK(refusal(last) != "");
  context.begin({});  // no parameter is read, so none counts
  CHECK(refusal(sum(context.input(bias.value))) == "");
}

TEST_CASE_FIXTURE(Loss, "a part has the version of its whole") {
  for (Parameter<double>* changed : {&whole, &first, &second}) {
    const Variable<double> old = forward();
    changed->mark_changed();
    CHECK(refusal(old) == weight_refused);
    CHECK(first.version() == whole.version());
    CHECK(second.version() == whole.version());
  }
  CHECK(refusal(forward()) == "");
  CHECK(whole.version() == 3);
  CHECK(bias.version() == 0);
}

TEST_CASE_FIXTURE(Loss, "a kept graph is refused once its values have changed") {
  const Variable<double> root = forward();
  context.backward(root, /*keep_graph=*/true);
  context.backward(root, /*keep_graph=*/true);
  CHECK(bias.grad_tensor()[0] == 4);
  whole.mark_changed();
  CHECK(refusal(root) == weight_refused);
  CHECK(bias.grad_tensor()[0] == 4);
}

TEST_CASE("only changes of parameters that the root depends on are refused") {
  RandomStream random(1, "versions");
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random.uniform() * static_cast<double>(n)); };
  int refused = 0, allowed = 0;
  for (int trial = 0; trial < 500; ++trial) {
    ParameterStore<double> store;
    std::vector<Parameter<double>*> parameters;
    for (int i = 0; i < 5; ++i) parameters.push_back(&store.declare(fmt::format("p{}", i), {3}, ones));
    store.allocate(1);
    Context<double> context;
    context.begin({});
    Parameter<double>* const changed = parameters[below(parameters.size())];
    std::vector<Variable<double>> values;
    std::vector<bool> stale;  // for each value, true if it depends on the old value of `changed`
    const auto read = [&](Parameter<double>* parameter) {
      values.push_back(context.parameter(*parameter));
      stale.push_back(parameter == changed && changed->version() == 0);
    };
    for (Parameter<double>* parameter : parameters) read(parameter);
    for (int op = 0; op < 12; ++op) {
      const std::size_t a = below(values.size()), b = below(values.size());
      values.push_back(mul(values[a], values[b]));
      stale.push_back(stale[a] || stale[b]);
      if (op == 4) changed->mark_changed();
      if (op == 5) read(changed);
    }
    const std::size_t root = below(values.size());
    const std::vector<double> cotangent(3, 1);
    const auto backward = [&] { context.backward(values[root], Tensor<const double>{cotangent.data(), {3}}); };
    if (stale[root])
      CHECK_THROWS_AS(backward(), Error);
    else
      CHECK_NOTHROW(backward());
    ++(stale[root] ? refused : allowed);
  }
  CHECK(refused > 100);
  CHECK(allowed > 100);
}
