#include "optim/moving_average.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/check.h"
#include "autograd/parallel.h"
#include "autograd/random.h"
#include "tests/optim/optim_test.h"

using namespace glossa;
using namespace glossa::test;

namespace {

/// Values that walk at random, some pieces of them, and their average by the formula, in double.
template <class T>
struct Walk {
  std::vector<T> values = std::vector<T>(40'001, T{1});
  std::vector<double> average{values.begin(), values.end()};
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
    MovingAverage<double> moving(walk.values, decay);
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
  Walk<float> walk;
  walk.values.resize(64);
  walk.average.resize(64);
  MovingAverage<float> moving(walk.values, decay);
  for (std::int64_t t = late; t < late + 50'000; ++t) {
    walk.step(decay, t);
    moving.update(t);
  }
  const double largest = *std::ranges::max_element(walk.values);
  for (std::size_t i = 0; i < walk.average.size(); ++i)
    CHECK(std::abs(moving.average()[i] - walk.average[i]) <= 1.01 * unit / (1 - decay) * largest);

  // A change so small that its share is rounded away.
  std::vector<float> ones(64, 1);
  MovingAverage<float> still(ones, decay);
  std::ranges::fill(ones, 1 + 4e-4f);
  for (std::int64_t t = late; t < late + 10; ++t) still.update(t);
  CHECK(std::ranges::count(still.average(), 1.0f) == 64);
}

TEST_CASE("values that stay constant are their own average, to the bit") {
  std::vector<float> values{0.1f, -3e-30f, 0.0f, 7e20f};
  MovingAverage<float> moving(values, 0.99);
  for (std::int64_t t = 1; t <= 1000; ++t) moving.update(t);
  CHECK(std::ranges::equal(moving.average(), values));
}

TEST_CASE("any number of threads gives the same average") {
  const int before = threads();
  std::vector<double> one;
  for (const int count : {1, 2, 4}) {
    set_threads(count);
    Walk<float> walk;
    MovingAverage<float> moving(walk.values, 0.7);
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
  std::vector<float> values{1, 2}, first = values, second{5, 10};
  MovingAverage<float> moving(values, 0.5);
  values = second;
  {
    const AverageInUse<float> in_use(&moving);
    CHECK(values == first);
    CHECK(std::ranges::equal(moving.average(), second));
  }
  CHECK(values == second);
  CHECK(std::ranges::equal(moving.average(), first));
  const AverageInUse<float> none(nullptr);
}

TEST_CASE("a decay outside [0, 1) is refused") {
  std::vector<float> values(4);
  for (const double decay : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_WITH_AS(MovingAverage<float>(values, decay), doctest::Contains("[MovingAverage::decay]"), Error);
}
