#include "layers/positional_encoding.h"

#include <doctest/doctest.h>

#include <cmath>

#include "layers/embedding.h"
#include "layers/init.h"

using namespace glossa;

namespace {

void check_row(const std::vector<double>& table, Index width, Index position, const std::vector<double>& expected) {
  REQUIRE(static_cast<Index>(expected.size()) == width);
  for (Index j = 0; j < width; ++j) {
    CAPTURE(position);
    CAPTURE(j);
    CHECK(table[position * width + j] == doctest::Approx(expected[j]).epsilon(1e-12));
  }
}

}  // namespace

TEST_CASE("interleaved sinusoids alternate sin and cos, with frequencies 10000^(-2i/D)") {
  const std::vector<double> table = sinusoidal_positions(4, 4, Sinusoid::interleaved);
  REQUIRE(table.size() == 16);
  check_row(table, 4, 0, {0, 1, 0, 1});
  // sin 1, cos 1, sin 0.01, cos 0.01
  check_row(table, 4, 1, {0.8414709848078965, 0.5403023058681398, 0.009999833334166664, 0.9999500004166653});
  // sin 3, cos 3, sin 0.03, cos 0.03
  check_row(table, 4, 3, {0.1411200080598672, -0.9899924966004454, 0.02999550020249566, 0.9995500337489875});
}

TEST_CASE("sinusoids in halves are all sines, then all cosines, with frequencies 10000^(-i/(D/2 - 1))") {
  const std::vector<double> table = sinusoidal_positions(3, 6, Sinusoid::halves);
  check_row(table, 6, 0, {0, 0, 0, 1, 1, 1});
  // frequencies 1, 1/100, 1/10000
  check_row(table, 6, 2,
            {0.9092974268256817, 0.01999866669333308, 0.0001999999986666667, -0.4161468365471424, 0.9998000066665778,
             0.9999999800000001});
  check_row(sinusoidal_positions(2, 2, Sinusoid::halves), 2, 1, {0.8414709848078965, 0.5403023058681398});
}

TEST_CASE("sinusoids of the raw column i are sin in even and cos in odd ones, with frequencies 10000^(-2i/D)") {
  // frequencies 1, 1/100, 1/10000, 1/1000000
  check_row(sinusoidal_positions(3, 4, Sinusoid::raw_index), 4, 2,
            {0.9092974268256817, 0.9998000066665778, 0.0001999999986666667, 0.999999999998});
}

TEST_CASE("sorted sinusoids are the columns of the interleaved ones, all sines first") {
  const std::vector<double> table = sinusoidal_positions(3, 6, Sinusoid::sorted),
                            other = sinusoidal_positions(3, 6, Sinusoid::interleaved);
  for (Index p = 0; p < 3; ++p)
    for (Index i = 0; i < 3; ++i) {
      CHECK(table[p * 6 + i] == other[p * 6 + 2 * i]);
      CHECK(table[p * 6 + 3 + i] == other[p * 6 + 2 * i + 1]);
    }
}

TEST_CASE("sinusoids of an odd width lack the last cosine, and in halves they end with zeros") {
  const double a = 2, b = 2 * std::pow(10000.0, -2.0 / 5), c = 2 * std::pow(10000.0, -4.0 / 5);
  check_row(sinusoidal_positions(3, 5, Sinusoid::interleaved), 5, 2,
            {std::sin(a), std::cos(a), std::sin(b), std::cos(b), std::sin(c)});
  check_row(sinusoidal_positions(3, 5, Sinusoid::sorted), 5, 2,
            {std::sin(a), std::sin(b), std::sin(c), std::cos(a), std::cos(b)});
  check_row(sinusoidal_positions(3, 5, Sinusoid::halves), 5, 2,
            {std::sin(2.0), std::sin(2e-4), std::cos(2.0), std::cos(2e-4), 0});
  check_row(sinusoidal_positions(3, 3, Sinusoid::raw_index), 3, 2,
            {std::sin(2.0), std::cos(2 * std::pow(10000.0, -2.0 / 3)), std::sin(2 * std::pow(10000.0, -4.0 / 3))});
  for (const Sinusoid order : {Sinusoid::interleaved, Sinusoid::sorted, Sinusoid::raw_index})
    check_row(sinusoidal_positions(3, 1, order), 1, 2, {std::sin(2.0)});
  check_row(sinusoidal_positions(3, 1, Sinusoid::halves), 1, 2, {0});
}

TEST_CASE("a width of zero is refused") {
  CHECK_THROWS_WITH_AS(sinusoidal_positions(3, 0, Sinusoid::interleaved), doctest::Contains("at least 1; got 0"),
                       Error);
}

TEST_CASE("an embedding is factor * table[id] + position, gap rows are zero, and decoding continues the positions") {
  ParameterStore<double> store;
  Parameter<double>& table = store.declare("table", {3, 2}, init::constant(0));
  const Embedding<double> layer(table, PositionalEncoding<double>::learned(store, "positions", 4, 2), {.factor = 10});
  store.allocate(1);
  std::ranges::copy(std::vector<double>{1, 2, 3, 4, 5, 6}, table.value.data);
  std::ranges::copy(std::vector<double>{.1, .2, .3, .4, .5, .6, .7, .8}, store.at("positions.weight").value.data);
  Context<double> context;
  context.begin({});
  const std::vector<int> ids{2, 0, 1, 0, 1};
  const std::vector<RowSpan> spans{{0, 2}, {3, 2}};
  RowLayout layout{.rows = 5, .sequences = spans};
  const auto expect = [&](const std::vector<double>& expected) {
    const Tensor<const double> y = layer(context, ids, layout).value();
    REQUIRE(y.size() == static_cast<Index>(expected.size()));
    for (Index i = 0; i < y.size(); ++i) CHECK(y[i] == doctest::Approx(expected[i]));
  };
  expect({50.1, 60.2, 10.3, 20.4, 0, 0, 10.1, 20.2, 30.3, 40.4});
  layout.first_position = 2;
  expect({50.5, 60.6, 10.7, 20.8, 0, 0, 10.5, 20.6, 30.7, 40.8});
  layout.first_position = 3;  // position 4 is one too far
  CHECK_THROWS_WITH_AS(layer(context, ids, layout),
                       doctest::Contains("expected sequences of at most 4 tokens; got one of 5"), Error);
}

TEST_CASE("positions are added to inputs other than tokens, each by its place in its sequence") {
  const auto layer = PositionalEncoding<double>::sinusoidal(4, 2);
  const std::vector<double> table = sinusoidal_positions(4, 2, Sinusoid::interleaved);
  const std::vector<RowSpan> spans{{0, 1}, {2, 2}};
  RowLayout layout{.rows = 4, .sequences = spans, .first_position = 1};
  std::vector<double> numbers{1, 2, 3, 4, 5, 6, 7, 8};
  Context<double> context;
  context.begin({});
  const Variable<double> x = context.input({numbers.data(), {4, 2}});
  const Tensor<const double> y = layer(x, layout).value();
  const std::pair<Index, Index> row_and_position[] = {{0, 1}, {2, 1}, {3, 2}};
  for (const auto& [row, position] : row_and_position)
    for (Index j = 0; j < 2; ++j) CHECK(y.row(row)[j] == numbers[2 * row + j] + table[2 * position + j]);
  layout.first_position = 3;
  CHECK_THROWS_AS(layer(x, layout), Error);
}

TEST_CASE("sequences longer than the table are refused") {
  const auto encoding = PositionalEncoding<double>::sinusoidal(3, 4, Sinusoid::interleaved);
  Context<double> context;
  context.begin({});
  const RowSpan sequences[] = {{0, 3}, {3, 2}};
  const RowLayout layout{.rows = 5, .sequences = sequences};
  const Variable<double> x = full(context, {5, 4}, 0);
  CHECK(encoding(x, layout).shape() == Shape{5, 4});
  RowLayout later = layout;
  later.first_position = 1;
  CHECK_THROWS_WITH_AS(encoding(x, later), doctest::Contains("expected sequences of at most 3 tokens; got one of 4"),
                       Error);
}
