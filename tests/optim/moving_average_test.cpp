#include "optim/moving_average.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"
#include "tests/optim/optim_test.h"

using namespace glossa;
using namespace glossa::test;

namespace {

/// A store with one parameter.
template <class T>
struct Flat {
  /// Lays it out with `size` ones, and returns the flat buffer.
  std::span<T> values_of(Index size) {
    store.declare("x", {size},
                  [](std::span<double> values, const Shape&, RandomStream&) { std::ranges::fill(values, 1.0); });
    store.allocate(1);
    return store.values();
  }

  ParameterStore<T> store;
};

/// Values that walk at random, some pieces of them, and their average by the formula, in double.
template <class T>
struct Walk {
  explicit Walk(Index size = 40'001) : values(flat.values_of(size)), average(values.begin(), values.end()) {}

  Flat<T> flat;
  std::span<T> values;
  std::vector<double> average;
  RandomStream random{1, "walk"};

  void step(double decay, std::int64_t t) {
    const double n = static_cast<double>(t), d = decay < (1 + n) / (10 + n) ? decay : (1 + n) / (10 + n);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += static_cast<T>(0.01 * random.uniform());
      average[i] = d * average[i] + (1 - d) * double{values[i]};
    }
  }
};

}  // namespace

TEST_CASE("the average follows the formula: TensorFlow's smaller decays at first, the given one later") {
  for (const double decay : {0.0, 0.5, 0.9}) {
    Walk<double> walk;
    MovingAverage<double> moving(walk.flat.store, decay);
    CHECK(std::ranges::equal(moving.average(), walk.average));
    for (std::int64_t t = 1; t <= 100; ++t) {  // 0.5 from t = 8 on, 0.9 from t = 80 on
      walk.step(decay, t);
      moving.update(t);
      if (decay == 0) CHECK(difference(walk.average, copy(moving.average())) <= 1e-15);
    }
    CHECK(difference(walk.average, copy(moving.average())) <= 1e-13);
  }
}

TEST_CASE("in float the average is as close to the exact one as documented, and no closer") {
  constexpr double decay = 0.9999, unit = 0x1p-24;
  constexpr std::int64_t late = 1'000'000;  // the decay is the given one by then
  Walk<float> walk(64);
  MovingAverage<float> moving(walk.flat.store, decay);
  for (std::int64_t t = late; t < late + 50'000; ++t) {
    walk.step(decay, t);
    moving.update(t);
  }
  const double largest = *std::ranges::max_element(walk.values);
  for (std::size_t i = 0; i < walk.average.size(); ++i)
    CHECK(std::abs(moving.average()[i] - walk.average[i]) <= 1.01 * unit / (1 - decay) * largest);

  // A change so small that its share is rounded away.
  Flat<float> flat;
  const std::span<float> ones = flat.values_of(64);
  MovingAverage<float> still(flat.store, decay);
  std::ranges::fill(ones, 1 + 4e-4f);
  for (std::int64_t t = late; t < late + 10; ++t) still.update(t);
  CHECK(std::ranges::count(still.average(), 1.0f) == 64);
}

TEST_CASE("values that stay constant are their own average, to the bit") {
  Flat<float> flat;
  const std::span<float> values = flat.values_of(4);
  std::ranges::copy(std::vector<float>{0.1f, -3e-30f, 0.0f, 7e20f}, values.begin());
  MovingAverage<float> moving(flat.store, 0.99);
  for (std::int64_t t = 1; t <= 1000; ++t) moving.update(t);
  CHECK(std::ranges::equal(moving.average(), values));
}

TEST_CASE("any number of threads gives the same average") {
  const int before = threads();
  std::vector<double> one;
  for (const int count : {1, 2, 4}) {
    set_threads(count);
    Walk<float> walk;
    MovingAverage<float> moving(walk.flat.store, 0.7);
    for (std::int64_t t = 1; t <= 10; ++t) {
      walk.step(0.7, t);
      moving.update(t);
    }
    if (count == 1) one = copy(moving.average());
    CHECK(copy(moving.average()) == one);
  }
  set_threads(before);
}

TEST_CASE("an average in use takes the place of the values until it is put back") {
  Flat<float> flat;
  const std::span<float> values = flat.values_of(16);
  const std::vector<float> first(16, 1), second(16, 5);
  const Parameter<float>& parameter = flat.store.at("x");
  MovingAverage<float> moving(flat.store, 0.5);
  std::ranges::copy(second, values.begin());
  {
    const AverageInUse<float> in_use(&moving);
    CHECK(std::ranges::equal(values, first));
    CHECK(std::ranges::equal(moving.average(), second));
    CHECK(parameter.version() == 1);
  }
  CHECK(std::ranges::equal(values, second));
  CHECK(std::ranges::equal(moving.average(), first));
  CHECK(parameter.version() == 2);
  const AverageInUse<float> none(nullptr);
}

TEST_CASE("a decay outside [0, 1) is refused") {
  ParameterStore<float> store;
  CHECK_THROWS_WITH_AS(MovingAverage<float>(store, 0.5), doctest::Contains("call allocate() first"), Error);
  store.allocate(1);
  for (const double decay : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_WITH_AS(MovingAverage<float>(store, decay), doctest::Contains("[MovingAverage::decay]"), Error);
}
