#include "autograd/shape.h"

#include <doctest/doctest.h>

#include <vector>

#include "base/check.h"

using namespace glossa;

TEST_CASE("a shape has extents, a size and a text") {
  const Shape scalar, matrix{2, 3}, box{2, 0, 4};
  CHECK(scalar.rank() == 0);
  CHECK(scalar.size() == 1);
  CHECK(scalar.rows() == 1);
  CHECK(scalar.cols() == 1);
  CHECK(scalar.str() == "[]");
  CHECK(matrix.size() == 6);
  CHECK(matrix[-1] == 3);
  CHECK(matrix[0] == 2);
  CHECK(matrix.str() == "[2, 3]");
  CHECK(box.size() == 0);
  CHECK(box.rows() == 0);
  CHECK(Shape{2, 3, 4}.rows() == 6);
  CHECK(Shape{2, 3, 4}.cols() == 4);
}

TEST_CASE("a shape can be made from a list at run time") {
  std::vector<Index> extents{2, 3};
  CHECK(Shape(extents) == Shape{2, 3});
  extents.assign(5, 1);
  CHECK_THROWS_WITH_AS(Shape(std::span<const Index>(extents)), doctest::Contains("at most 4 axes; got 5"), Error);
  CHECK(Shape(std::span<const Index>()) == Shape{});
}

TEST_CASE("axes can be replaced, removed and inserted") {
  const Shape shape{2, 3, 4};
  CHECK(shape.with(-1, 7) == Shape{2, 3, 7});
  CHECK(shape.without(1) == Shape{2, 4});
  CHECK(shape.inserted(0, 5) == Shape{5, 2, 3, 4});
  CHECK(shape.inserted(3, 5) == Shape{2, 3, 4, 5});
  CHECK(shape.without(0) == Shape{3, 4});
  CHECK_FALSE(Shape{3, 4} == Shape{3, 4, 1});
}

TEST_CASE("invalid shapes are errors") {
  CHECK_THROWS_AS((Shape{1, 2, 3, 4, 5}), Error);
  CHECK_THROWS_AS((Shape{1, -2}), Error);
  CHECK_THROWS_WITH_AS((Shape{2, 3}.axis(2, "sum")), doctest::Contains("[sum] expected an axis in [-2, 2)"), Error);
  CHECK_THROWS_AS((Shape{2, 3}[-3]), Error);
  CHECK_THROWS_AS((Shape{1, 2, 3, 4}.inserted(0, 1)), Error);
  CHECK_THROWS_AS((Shape{2, 3}.inserted(3, 1)), Error);
  CHECK_THROWS_AS((Shape().without(0)), Error);
}

TEST_CASE("a shape with more elements than can be addressed is an error, not a small number") {
  const Index large = Index{1} << 32;
  CHECK_THROWS_WITH_AS((Shape{large, large}.size()), doctest::Contains("[4294967296, 4294967296]"), Error);
  CHECK_THROWS_AS((Shape{large, large, 2}.rows()), Error);
  CHECK_THROWS_AS((Shape{large, large / 4}.size()), Error);  // their bytes overflow
  CHECK(Shape{large, large / 32}.size() == large * (large / 32));
}

TEST_CASE("broadcasting follows NumPy's rule") {
  CHECK(broadcast({2, 3, 4}, {4}, "add") == Shape{2, 3, 4});
  CHECK(broadcast({3, 1, 2}, {4, 1}, "add") == Shape{3, 4, 2});
  CHECK(broadcast({}, {2, 1}, "add") == Shape{2, 1});
  CHECK(broadcast({0, 3}, {1, 3}, "add") == Shape{0, 3});
  CHECK(broadcast({1}, {0}, "add") == Shape{0});
  CHECK_THROWS_WITH_AS(broadcast({2, 3}, {2}, "add"), doctest::Contains("[2, 3] and [2]"), Error);
  CHECK_THROWS_AS(broadcast({0}, {2}, "add"), Error);
}

TEST_CASE("strides of a broadcast operand are zero along repeated axes") {
  using Four = std::array<Index, 4>;
  CHECK(extents4({3, 2}) == Four{1, 1, 3, 2});
  CHECK(broadcast_strides({2, 3, 4}, {2, 3, 4}) == Four{0, 12, 4, 1});
  CHECK(broadcast_strides({4}, {2, 3, 4}) == Four{0, 0, 0, 1});
  CHECK(broadcast_strides({2, 1, 4}, {2, 3, 4}) == Four{0, 4, 0, 1});
}
