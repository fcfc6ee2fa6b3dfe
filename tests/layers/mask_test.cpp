#include "layers/mask.h"

#include <doctest/doctest.h>

#include <cmath>

#include "layers/attention.h"

using namespace glossa;

TEST_CASE("sequences of a padded box end where only padding follows") {
  const std::vector<int> ids{5, 6, 1, 1,   //
                             7, 1, 8, 1,   // padding inside belongs to the sequence
                             1, 1, 1, 1,   //
                             2, 3, 4, 9};  //
  const std::vector<RowSpan> spans = spans_of_padded(ids, 4, 1);
  REQUIRE(spans.size() == 4);
  const Index lengths[] = {2, 3, 0, 4};
  for (Index b = 0; b < 4; ++b) {
    CHECK(spans[b].offset == 4 * b);
    CHECK(spans[b].length == lengths[b]);
  }
  CHECK_THROWS_AS(spans_of_padded(ids, 3, 1), Error);
  CHECK_THROWS_AS(spans_of_padded(ids, 0, 1), Error);
}

TEST_CASE("the causal mask is true on and below the diagonal") {
  CHECK(causal_mask(3) == std::vector<char>{1, 0, 0, 1, 1, 0, 1, 1, 1});
  CHECK(causal_mask(1) == std::vector<char>{1});
  CHECK(causal_mask(0).empty());
}

TEST_CASE("the additive mask is 0 where one may attend and -inf elsewhere") {
  const std::vector<char> may{1, 0, 0, 1};
  double cells[4];
  write_additive_mask<double>(may, {cells, {2, 2}});
  CHECK(cells[0] == 0);
  CHECK(cells[1] == -INFINITY);
  CHECK(cells[2] == -INFINITY);
  CHECK(cells[3] == 0);
  CHECK_THROWS_WITH_AS(write_additive_mask<double>(may, {cells, {1, 2}}), doctest::Contains("[1, 2]"), Error);
}

TEST_CASE("attention with the causal mask is causal attention, and weights above the diagonal are 0") {
  constexpr Index positions = 3, width = 4;
  const auto run = [&](bool causal, bool masked) {
    ParameterStore<double> store;
    const MultiHeadAttention<double> layer(store, "layer", MultiHeadAttention<double>::Kind::self,
                                           {.width = width, .heads = 2, .causal = causal});
    store.allocate(1);
    std::vector<double> numbers(positions * width), cells(positions * positions);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<double>(i));
    const Tensor<double> mask{cells.data(), {positions, positions}};
    write_additive_mask<double>(causal_mask(positions), mask);
    const RowSpan span{0, positions};
    const RowLayout layout{.rows = positions, .sequences = {&span, 1}};
    Context<double> context;
    context.begin({});
    Tensor<double> weights;
    const Variable<double> y =
        layer(context.input({numbers.data(), {positions, width}}), layout, masked ? &mask : nullptr, &weights);
    CHECK(weights.size() == 2 * positions * positions);
    if (causal || masked)
      for (Index cell : {1, 2, 5, 10, 11, 14}) CHECK(weights[cell] == 0);
    return std::vector<double>(y.value().data, y.value().data + y.size());
  };
  const std::vector<double> causal = run(true, false), masked = run(false, true), both = run(true, true);
  for (std::size_t i = 0; i < causal.size(); ++i) {
    CHECK(masked[i] == doctest::Approx(causal[i]).epsilon(1e-14));
    CHECK(both[i] == doctest::Approx(causal[i]).epsilon(1e-14));
  }
  CHECK(run(false, false) != causal);
}
