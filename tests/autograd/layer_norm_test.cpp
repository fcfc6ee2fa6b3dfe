// Rows of layer_norm and rms_norm that the tables of cases lack: huge rows, and rows without elements.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "autograd/ops.h"

using namespace glossa;

namespace {

template <class T>
using Norm = Variable<T> (*)(const Variable<T>&, double);

/// Value and gradient of a norm of one row, with a cotangent of 1, 2, 3, ...
template <class T>
struct Normalized {
  std::vector<T> y, dx;

  explicit Normalized(const std::vector<T>& row, double epsilon = 1e-5, Norm<T> norm = layer_norm) {
    const Shape shape{1, std::ssize(row)};
    std::vector<T> ones;
    for (std::size_t j = 0; j < row.size(); ++j) ones.push_back(static_cast<T>(j + 1));
    Context<T> context;
    context.begin({});
    const Variable<T> x = context.input({row.data(), shape}), normal = norm(x, epsilon);
    context.backward(normal, {ones.data(), shape});
    y.assign(normal.value().span().begin(), normal.value().span().end());
    dx.assign(x.grad().span().begin(), x.grad().span().end());
  }
};

/// Checks rows times 2^exponent against the row itself, without epsilon: y is equal, the gradient divided.
template <class T>
void check_scaled(int exponent, Norm<T> norm) {
  RandomStream random(1, "huge rows");
  for (const Index width : {2, 7, 16, 65, 512}) {
    CAPTURE(width);
    std::vector<T> row, huge;
    for (Index j = 0; j < width; ++j) {
      row.push_back(static_cast<T>(random.normal()));
      huge.push_back(std::ldexp(row.back(), exponent));
    }
    const Normalized<T> right(row, 0, norm), got(huge, 1e-5, norm);
    const T limit = 64 * std::numeric_limits<T>::epsilon();
    for (std::size_t j = 0; j < row.size(); ++j) {
      CHECK_LE(std::abs(got.y[j] - right.y[j]), limit * (1 + std::abs(right.y[j])));
      CHECK_LE(std::abs(std::ldexp(got.dx[j], exponent) - right.dx[j]), limit * static_cast<T>(width * width));
    }
  }
}

}  // namespace

TEST_CASE("layer_norm of rows whose squares overflow has the value and gradient of the row in another unit") {
  for (const int exponent : {65, 75, 100}) check_scaled<float>(exponent, layer_norm);
  for (const int exponent : {515, 600, 900}) check_scaled<double>(exponent, layer_norm);
}

TEST_CASE("rms_norm of rows whose squares overflow has the value and gradient of the row in another unit") {
  for (const int exponent : {65, 75, 100}) check_scaled<float>(exponent, rms_norm);
  for (const int exponent : {515, 600, 900}) check_scaled<double>(exponent, rms_norm);
}

TEST_CASE("layer_norm of rows whose sum overflows is finite, and infinity and NaN stay visible") {
  const float huge = 3e38f, inf = std::numeric_limits<float>::infinity();
  const Normalized<float> got({huge, huge, huge, 0.9f * huge});
  CHECK(got.y[0] == doctest::Approx(1 / std::sqrt(3.0)));
  CHECK(got.y[3] == doctest::Approx(-std::sqrt(3.0)));
  for (const float equal : {huge, -huge})  // the sum overflows, but the variance is 0
    for (const float y : Normalized<float>({equal, equal, equal, equal}).y) CHECK(y == 0);
  const float half = std::numeric_limits<float>::max() / 2;
  CHECK(Normalized<float>({half, -half}).y[0] == doctest::Approx(1));
  CHECK(std::isnan(Normalized<float>({1, inf, 2}).y[1]));
  CHECK(std::isnan(Normalized<float>({1e30f, -inf, 2}).y[1]));
  CHECK(std::isnan(Normalized<float>({1e30f, std::nanf(""), 2}).y[0]));
}

TEST_CASE("rms_norm of the largest numbers is finite, and infinity and NaN stay visible") {
  const auto normal = [](const std::vector<float>& row) { return Normalized<float>(row, 1e-5, rms_norm).y; };
  const float largest = std::numeric_limits<float>::max(), inf = std::numeric_limits<float>::infinity();
  for (const float y : normal({largest, largest, largest})) CHECK(y == doctest::Approx(1));
  CHECK(normal({largest, 0, -largest, 0})[2] == doctest::Approx(-std::sqrt(2.0)));
  CHECK(normal({3e19f, 3e19f})[0] == doctest::Approx(1));  // the sum of squares overflows, their mean does not
  CHECK(std::isnan(normal({1, inf, 2})[1]));
  CHECK(std::isnan(normal({1e30f, std::nanf(""), 2})[0]));
}

TEST_CASE("rms_norm of zeros is zero, and adds no mean to a row") {
  for (const float y : Normalized<float>({0, 0, 0}, 1e-5, rms_norm).y) CHECK(y == 0);
  for (const double y : Normalized<double>({7, 7, 7}, 0, rms_norm).y) CHECK(y == doctest::Approx(1).epsilon(1e-14));
}

TEST_CASE("layer_norm takes a gain and bias without elements, whose pointers are null") {
  std::vector<float> none;
  Context<float> context;
  context.begin({});
  const Variable<float> x = context.input({none.data(), {2, 0}}), gain = context.input({nullptr, {0}}),
                        bias = context.input({nullptr, {0}});
  context.backward(sum(layer_norm(x, gain, bias, 1e-5)));
  CHECK(x.grad().shape == Shape{2, 0});
  CHECK(gain.grad().shape == Shape{0});
  CHECK(bias.grad().shape == Shape{0});
}
