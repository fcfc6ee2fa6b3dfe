#include "autograd/tensor.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "autograd/context.h"
#include "base/check.h"
#include "base/random.h"

using namespace glossa;

// The memory of a temporary vector would be gone; that of a temporary span is not.
static_assert(!std::is_constructible_v<Tensor<const float>, std::vector<float>, Shape>);
static_assert(std::is_constructible_v<Tensor<const float>, const std::vector<float>&, Shape>);
static_assert(std::is_constructible_v<Tensor<const float>, std::span<float>, Shape>);

namespace {

/// 0 to 3 axes of 0 to 4 elements.
Shape random_shape(RandomStream& random) {
  std::vector<Index> extents(random.below(4));
  for (Index& extent : extents) extent = static_cast<Index>(random.below(5));
  return Shape(extents);
}

std::vector<double> counted(Index size) {
  std::vector<double> numbers(static_cast<std::size_t>(size));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

TEST_CASE("a tensor of a vector, an array or a span has exactly the elements of its shape") {
  std::vector<float> six(6);
  float array[6] = {};
  std::array<float, 6> other{};
  const std::vector<float> constant(6);
  CHECK(Tensor<float>{six, {2, 3}}.data == six.data());
  CHECK(Tensor<float>{array, {6}}.data == array);
  CHECK(Tensor<float>{other, {3, 2}}.data == other.data());
  CHECK(Tensor<const float>{constant, {6, 1}}.data == constant.data());
  CHECK(Tensor<float>{std::span(six).first(4), {2, 2}}.size() == 4);
  const auto message = doctest::Contains("[tensor] expected 60000 numbers for shape [200, 300]; got 6");
  CHECK_THROWS_WITH_AS((Tensor<float>{six, {200, 300}}), message, Error);
  CHECK_THROWS_WITH_AS((Tensor<float>{array, {200, 300}}), message, Error);
  CHECK_THROWS_WITH_AS((Tensor<const float>{constant, {200, 300}}), message, Error);
  CHECK_THROWS_AS((Tensor<float>{six, {5}}), Error);
  Context<float> context;
  context.begin({});
  CHECK_THROWS_WITH_AS(context.input({six, {200, 300}}), message, Error);
}

TEST_CASE("at and row_at of random tensors return each element, and throw for every other index") {
  RandomStream random(1, "tensors");
  for (int round = 0; round < 200; ++round) {
    const Shape shape = random_shape(random);
    INFO(shape.str());
    std::vector<double> numbers = counted(shape.size());
    const Tensor<double> x{numbers, shape};
    for (Index i = -2; i < x.size() + 3; ++i)
      if (i >= 0 && i < x.size())
        CHECK((&x.at(i) == &numbers[i] && &x[i] == &numbers[i]));
      else
        CHECK_THROWS_AS(x.at(i), Error);
    for (Index i = -2; i < x.rows() + 3; ++i)
      if (i >= 0 && i < x.rows()) {
        CHECK(x.row_at(i).data() == x.data + i * x.cols());
        CHECK(x.row(i) == x.row_at(i).data());
        CHECK(std::ssize(x.row_at(i)) == x.cols());
      } else {
        CHECK_THROWS_AS(x.row_at(i), Error);
      }
    CHECK_THROWS_AS(x.at({0, 0, 0, 0}), Error);  // one index more than axes
    if (shape.rank() != 3) continue;
    for (Index i = -1; i <= shape[0]; ++i)
      for (Index j = -1; j <= shape[1]; ++j)
        for (Index k = -1; k <= shape[2]; ++k)
          if (std::min({i, j, k}) >= 0 && i < shape[0] && j < shape[1] && k < shape[2])
            CHECK(&x.at({i, j, k}) == &numbers[(i * shape[1] + j) * shape[2] + k]);
          else
            CHECK_THROWS_AS(x.at({i, j, k}), Error);
  }
}

TEST_CASE("an error of at names the index, the bounds and the shape") {
  const std::vector<double> numbers = counted(6);
  const Tensor<const double> x{numbers, {2, 3}};
  CHECK_THROWS_WITH_AS(x.at(99), "[tensor] expected an index in [0, 6) for shape [2, 3]; got 99", Error);
  CHECK_THROWS_WITH_AS(x.row_at(99), "[tensor] expected a row in [0, 2) for shape [2, 3]; got 99", Error);
  CHECK_THROWS_WITH_AS(x.at({1, 3}), "[tensor] expected an index in [0, 3) for axis 1 of shape [2, 3]; got 3", Error);
  CHECK_THROWS_WITH_AS(x.at({1}), "[tensor] expected 2 indices for shape [2, 3]; got 1", Error);
  CHECK_THROWS_WITH_AS(Tensor<double>().at(0), "[tensor] expected numbers for shape []; got a tensor without memory",
                       Error);
}
