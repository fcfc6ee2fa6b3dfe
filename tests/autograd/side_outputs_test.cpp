#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "autograd/cases/attention_by_head.h"
#include "autograd/cases/layouts.h"

using namespace glossa;

// Results of ops besides their value, and dropout's statistics. The table's rows cover only values and gradients.

TEST_CASE("cross_entropy reports the loss without smoothing and the number of rows counted") {
  std::vector<double> logits{1, 2, 0.5, -1, 0, 3};
  Context<double> context;
  context.begin({});
  const Variable<double> x = context.input({logits.data(), {3, 2}});
  const std::vector<int> targets{1, -1, 0};
  const CrossEntropy<double> loss = cross_entropy(x, targets, -1, 0.1);
  CHECK(loss.count == 2);
  CHECK(loss.nll_sum == doctest::Approx(std::log(1 + std::exp(-1.0)) + std::log(1 + std::exp(3.0))).epsilon(1e-14));
  CHECK(cross_entropy(x, targets, -1).sum.value()[0] == doctest::Approx(loss.nll_sum).epsilon(1e-14));
  const CrossEntropy<double> nothing = cross_entropy(x, std::vector<int>{-1, -1, -1}, -1, 0.1);
  CHECK(nothing.count == 0);
  CHECK(nothing.nll_sum == 0);
  CHECK(nothing.sum.value()[0] == 0);
}

TEST_CASE("attention returns the weights after softmax and before dropout") {
  std::vector<double> numbers(5 * 4);
  RandomStream random(1, "weights");
  for (double& x : numbers) x = random.normal();
  Context<double> context;
  context.begin({.training = true});
  const Variable<double> x = context.input({numbers.data(), {5, 4}});
  Tensor<double> weights;  // set to memory of the step
  attention<double>(x, x, x, packed_2_3(), packed_2_3(), {.heads = 2, .causal = true, .dropout = 0.5}, nullptr,
                    &weights);
  REQUIRE(weights.size() == 2 * (2 * 2 + 3 * 3));
  const Tensor<const double> numbers_of_x{numbers.data(), {5, 4}};
  const AttentionByHead call{.query = packed_2_3(),
                             .key = packed_2_3(),
                             .heads = 2,
                             .scale = 1 / std::sqrt(2.0),
                             .q = numbers_of_x,
                             .k = numbers_of_x,
                             .v = numbers_of_x,
                             .dy = numbers_of_x,
                             .mask = [](Index, Index, Index i, Index j) { return j > i ? -INFINITY : 0.0; }};
  const std::vector<double> expected = call.compute().weights;
  REQUIRE(expected.size() == static_cast<std::size_t>(weights.size()));
  for (Index i = 0; i < weights.size(); ++i) CHECK(weights[i] == doctest::Approx(expected[i]).epsilon(1e-12));
}

TEST_CASE("dropout keeps a share of 1 - p and the mean") {
  const std::vector<double> p{0.1, 0.3, 0.5};
  std::vector<double> ones(200 * 100, 1.0);
  Context<double> context;
  for (const double share : p) {
    context.begin({.training = true});
    const Tensor<const double> y = dropout(context.input({ones.data(), {200, 100}}), share).value();
    double sum = 0, kept = 0;
    for (const double value : y.span()) {
      sum += value;
      kept += value != 0;
    }
    CHECK(kept / 20000 == doctest::Approx(1 - share).epsilon(0.02));
    CHECK(sum / 20000 == doctest::Approx(1).epsilon(0.02));
  }
}

TEST_CASE("each step of a context draws other dropout masks, unless the caller sets the update") {
  std::vector<double> ones(500, 1.0);
  const auto mask = [&](Context<double>& context, const StepOptions& options) {
    context.begin(options);
    const std::span<const double> values = dropout(context.input({ones.data(), {500}}), 0.5).value().span();
    return std::vector<double>(values.begin(), values.end());
  };
  Context<double> context, other;
  std::vector<std::vector<double>> masks;
  for (std::uint64_t step = 0; step < 10; ++step) {
    masks.push_back(mask(context, {.training = true}));
    for (std::uint64_t before = 0; before < step; ++before) CHECK(masks[before] != masks[step]);
    CHECK(mask(other, {.training = true, .update = step}) == masks[step]);
  }
  CHECK(mask(context, {.training = true, .update = 3}) == masks[3]);
  CHECK(mask(context, {.training = true}) == mask(other, {.training = true, .update = 11}));
}

TEST_CASE(
    "dropout differs between places and updates, not between packed and padded batches, and is off in evaluation") {
  std::vector<double> ones(6 * 40, 1.0);
  Context<double> context;
  const auto masks = [&](std::uint64_t update, const RowLayout& layout) {
    context.begin({.training = true, .update = update});
    const Variable<double> x = context.input({ones.data(), {layout.rows, 40}});
    std::vector<std::vector<double>> result;
    for (int place = 0; place < 2; ++place) {
      const Tensor<const double> y = dropout(x, 0.5, layout).value();
      std::vector<double> rows;
      for (const RowSpan sequence : layout.sequences)
        for (Index t = 0; t < sequence.length; ++t)
          std::ranges::copy(y.row_at(sequence.offset + t), std::back_inserter(rows));
      result.push_back(rows);
    }
    return result;
  };
  const auto first = masks(0, packed_2_3());
  CHECK(first == masks(0, packed_2_3()));
  CHECK(first == masks(0, padded_2_3()));
  CHECK(first[0] != first[1]);
  CHECK(first != masks(1, packed_2_3()));
  context.begin({.training = false});
  CHECK(dropout(context.input({ones.data(), {6, 40}}), 0.5).value()[3] == 1);
}
