#include "autograd/prepared_weights.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "autograd/ops.h"

using namespace glossa;

namespace {

constexpr Index width = 33;

/// Two parameters, one of them in two parts, and inputs for linear ops. Each output comes from a context with prepared
/// weights and from one without.
struct PreparedAndPlain {
  ParameterStore<float> store;
  std::vector<Parameter<float>*> weights;
  std::vector<float> numbers = std::vector<float>(3 * width);
  PreparedWeights<float> prepared;
  Context<float> with, without;

  PreparedAndPlain() {
    const Initializer normal = [](std::span<double> values, const Shape&, RandomStream& random) {
      for (double& x : values) x = random.normal();
    };
    Parameter<float>& whole = store.declare("whole", {5 * width, width}, normal);
    weights = {&store.declare("single", {70, width}, normal), &whole, &store.part(whole, 0, width),
               &store.part(whole, width, 5 * width)};
    store.allocate(1);
    RandomStream random(1, "x");
    for (float& x : numbers) x = static_cast<float>(random.normal());
    with.set_prepared_weights(&prepared);
  }

  std::vector<float> product(Context<float>& context, Parameter<float>& weight, bool doubled, Precision precision) {
    context.begin({.training = false, .recording = false, .precision = precision});
    const Variable<float> w = context.parameter(weight);
    const Variable<float> y = linear(context.constant({numbers.data(), {3, width}}), doubled ? scale(w, 2) : w);
    return {y.value().span().begin(), y.value().span().end()};
  }
};

}  // namespace

TEST_CASE_FIXTURE(PreparedAndPlain, "prepared weights are never stale, in any order of products and changes") {
  std::mt19937 random(1);
  const auto draw = [&](std::size_t count) { return random() % count; };
  for (int i = 0; i < 2000; ++i) {
    INFO("product ", i);
    Parameter<float>& weight = *weights[draw(weights.size())];
    if (draw(4) == 0) {
      weight.value[static_cast<Index>(draw(static_cast<std::size_t>(weight.value.size())))] += 1;
      weight.mark_changed();
    }
    const bool doubled = draw(4) == 0;  // a computed weight, which is in the memory of another step's
    const Precision precision = draw(2) == 0 ? Precision::full : Precision::bf16;
    const std::vector<float> got = product(with, weight, doubled, precision);
    const std::vector<float> expected = product(without, weight, doubled, precision);
    if (precision == Precision::bf16)
      REQUIRE(got == expected);
    else  // the library may sum in another order if W is transposed
      REQUIRE(std::ranges::equal(got, expected, [](float a, float b) { return std::abs(a - b) < 1e-4; }));
  }
}
