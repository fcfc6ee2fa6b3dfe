#include "layers/mask.h"

#include <doctest/doctest.h>

#include <algorithm>
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

TEST_CASE("the causal mask is true above the diagonal") {
  const Mask mask = causal_mask(3);
  const bool expected[] = {false, true, true, false, false, true, false, false, false};
  CHECK(std::ranges::equal(std::span<const bool>(mask), expected));
  CHECK(mask.rows() == 3);
  CHECK(mask.cols() == 3);
  CHECK_FALSE(causal_mask(1)(0, 0));
  CHECK(std::span<const bool>(causal_mask(0)).empty());
}

TEST_CASE("the additive mask is -inf where the mask is true and 0 elsewhere") {
  Mask mask(1, 3);
  mask(0, 1) = true;
  Context<double> context;
  context.begin({});
  const Tensor<double> added = additive_mask(context, mask);
  CHECK(added.shape == Shape{1, 3});
  CHECK(added[0] == 0);
  CHECK(added[1] == -INFINITY);
  CHECK(added[2] == 0);
  CHECK_THROWS_AS(Mask(-1, 3), Error);
}

TEST_CASE("masked_fill and attention take the same mask: filled scores give attention's weights") {
  const std::vector<double> numbers{0.5, -1, 2, 0.25, 1, -0.5};
  std::vector<double> copy = numbers;
  const RowSpan span{0, 3};
  const RowLayout layout{.rows = 3, .sequences = {&span, 1}};
  Context<double> context;
  context.begin({});
  const Mask blocked = causal_mask(3);
  const Tensor<double> additive = additive_mask(context, blocked);
  const Variable<double> x = context.input({copy.data(), {3, 2}});
  Tensor<double> weights;
  attention(x, x, x, layout, layout, {.scale = 1}, &additive, &weights);
  const Variable<double> by_hand = softmax(masked_fill(matmul(x, x, false, true), blocked, -INFINITY));
  for (Index i = 0; i < 9; ++i) CHECK(weights[i] == doctest::Approx(by_hand.value()[i]).epsilon(1e-14));
}

TEST_CASE("attention with the causal mask equals causal attention, with weights 0 above the diagonal") {
  constexpr Index positions = 3, width = 4;
  const auto run = [&](bool causal, bool masked) {
    ParameterStore<double> store;
    const SelfAttention<double> layer(store, "layer", {.width = width, .heads = 2, .causal = causal});
    store.allocate(1);
    std::vector<double> numbers(positions * width);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<double>(i));
    const RowSpan span{0, positions};
    const RowLayout layout{.rows = positions, .sequences = {&span, 1}};
    Context<double> context;
    context.begin({});
    const Tensor<double> mask = additive_mask(context, causal_mask(positions));
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
