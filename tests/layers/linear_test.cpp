#include "layers/linear.h"

#include <doctest/doctest.h>

using namespace glossa;

TEST_CASE("an input of another width is an error that names the weight") {
  ParameterStore<float> store;
  const Linear<float> layer(store, "tower.key", 4, 3);
  store.allocate(1);
  const std::vector<float> numbers(6, 0.5F);
  Context<float> context;
  context.begin({});
  const RowSpan sequence{.offset = 0, .length = 2};
  const RowLayout layout{.rows = 2, .sequences = {&sequence, 1}};
  const char* const why = "[tower.key.weight] expected x [..., 4] for a weight [3, 4]; got [2, 3]";
  const Variable<float> x = context.constant({numbers.data(), {2, 3}});
  CHECK_THROWS_WITH_AS(layer(x), why, Error);
  CHECK_THROWS_WITH_AS(layer.activated(x, Activation::relu, 0, layout), why, Error);
  CHECK_THROWS_AS(layer(context.constant({numbers.data(), {}})), Error);
  CHECK(layer(context.constant({numbers.data(), {1, 4}})).shape() == Shape{1, 3});
}
