#include "optim/clip.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"

using namespace glossa;

namespace {

template <class T>
double norm(const std::vector<T>& values) {
  return global_norm(std::span<const T>(values));
}

template <class T>
std::vector<T> normals(std::size_t count) {
  RandomStream random(1, "clip");
  std::vector<T> values(count);
  for (T& x : values) x = static_cast<T>(random.normal());
  return values;
}

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("the norm is the root of the sum of squares, for any count") {
  CHECK(norm<float>({}) == 0);
  CHECK(norm<float>({3, -4}) == 5);
  CHECK(norm<double>({-2, 3, 6}) == 7);
  CHECK(norm<float>({3e38f, 3.2e38f}) == doctest::Approx(std::hypot(3e38, 3.2e38)));  // squares beyond float
  for (const std::size_t count : {1, 31, 33, 4095, 4097, 1'048'576, 1'048'577, 1'300'001}) {
    const std::vector<double> values = normals<double>(count);
    long double sum = 0;
    for (const double x : values) sum += static_cast<long double>(x) * x;
    CHECK(norm(values) == doctest::Approx(static_cast<double>(std::sqrt(sum))).epsilon(1e-14));
  }
}

TEST_CASE("the norm has the same bits with any number of threads") {
  const int before = threads();
  const std::vector<float> values = normals<float>(1'300'001);
  set_threads(1);
  const double one = norm(values);
  for (const int count : {2, 3, 4}) {
    set_threads(count);
    CHECK(norm(values) == one);
  }
  set_threads(before);
}

TEST_CASE("NaN and infinity anywhere propagate to the norm") {
  for (const std::size_t at : {0, 5000, 9999}) {
    std::vector<float> values = normals<float>(10'000);
    values[at] = -static_cast<float>(inf);
    CHECK(norm(values) == inf);
    values[at] = static_cast<float>(not_a_number);
    CHECK(std::isnan(norm(values)));
  }
}

TEST_CASE("the factor brings a larger norm to max_norm and leaves a smaller one") {
  CHECK(clip_factor(10, 5) == doctest::Approx(5 / 10.000001).epsilon(1e-15));
  CHECK(clip_factor(1, 5) == 1);
  CHECK(clip_factor(5, 5) == doctest::Approx(5 / 5.000001).epsilon(1e-15));  // as in PyTorch
  CHECK(clip_factor(0, 5) == 1);
  CHECK(clip_factor(1e30, 0) == 1);  // 0 is off
  CHECK(clip_factor(not_a_number, 0) == 1);
  CHECK(clip_factor(inf, 5) == 0);
  CHECK(std::isnan(clip_factor(not_a_number, 5)));
}

TEST_CASE("a negative or NaN max_norm is refused, whatever the norm") {
  for (const double max_norm : {-1.0, -inf, not_a_number})
    for (const double norm : {0.0, 3.0, inf, not_a_number})
      CHECK_THROWS_WITH_AS(clip_factor(norm, max_norm),
                           doctest::Contains("[clip_factor] expected max_norm of at least 0"), Error);
}
