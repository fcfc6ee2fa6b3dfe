#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "autograd/ops.h"

using namespace glossa;

namespace {

/// Few different numbers, so that most rows have ties; some are NaN or infinite.
std::vector<double> tied_numbers(Index count, RandomStream& random) {
  std::vector<double> numbers(count);
  for (double& x : numbers) {
    const auto drawn = random.below(9);
    x = drawn == 0 ? NAN : drawn == 1 ? INFINITY : drawn == 2 ? -INFINITY : static_cast<double>(drawn);
  }
  return numbers;
}

/// Positions of a row from the largest number to the smallest: NaN first, equal numbers in order.
std::vector<int> ranked(const std::vector<double>& row) {
  std::vector<int> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order,
                           [&](int i, int j) { return std::isnan(row[i]) ? !std::isnan(row[j]) : row[i] > row[j]; });
  return order;
}

}  // namespace

TEST_CASE("topk and argmax take the first of equal elements, and NaN before any number") {
  RandomStream random(1, "ranking");
  Context<double> context;
  for (int trial = 0; trial < 300; ++trial) {
    const Index rows = 1 + static_cast<Index>(random.below(4)), cols = 1 + static_cast<Index>(random.below(12));
    const Index k = static_cast<Index>(random.below(static_cast<std::uint64_t>(cols + 1)));
    std::vector<double> numbers = tied_numbers(rows * cols, random);
    context.begin({});
    const Variable<double> x = context.input({numbers.data(), {rows, cols}});
    const TopK<double> top = topk(x, k);
    const std::span<const int> first = argmax(x, -1), first_of_transposed = argmax(transpose(x, 0, 1), 0);
    REQUIRE(top.values.shape() == Shape{rows, k});
    REQUIRE(std::ssize(top.indices) == rows * k);
    REQUIRE(std::ssize(first) == rows);
    const Tensor<const double> values = top.values.value();
    for (Index r = 0; r < rows; ++r) {
      const std::vector<double> row(numbers.begin() + r * cols, numbers.begin() + (r + 1) * cols);
      const std::vector<int> expected = ranked(row);
      CHECK(first[r] == expected[0]);
      CHECK(first_of_transposed[r] == expected[0]);
      for (Index i = 0; i < k; ++i) {
        CHECK(top.indices[r * k + i] == expected[i]);
        const double value = values.row(r)[i], number = row[expected[i]];
        CHECK((value == number || (std::isnan(value) && std::isnan(number))));
      }
    }
  }
}

TEST_CASE("argmax counts along its axis, in the order of max") {
  RandomStream random(1, "axes");
  std::vector<double> numbers(2 * 3 * 4);
  for (double& x : numbers) x = random.normal();
  Context<double> context;
  context.begin({});
  const Variable<double> x = context.input({numbers.data(), {2, 3, 4}});
  const Index strides[] = {12, 4, 1};
  for (int axis = 0; axis < 3; ++axis) {
    const Tensor<const double> largest = max(x, axis).value();
    const std::span<const int> indices = argmax(x, axis - 3);
    REQUIRE(std::ssize(indices) == largest.size());
    for (Index k = 0; k < largest.size(); ++k) {
      const Index inner = strides[axis], at = k / inner * inner * x.shape()[axis] + k % inner;
      CHECK(numbers[at + indices[k] * inner] == largest[k]);
    }
  }
}
