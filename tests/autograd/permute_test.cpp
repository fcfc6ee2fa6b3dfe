#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "autograd/ops.h"

using namespace glossa;

// Every order of four axes, element by element, for shapes that are not multiples of a vector or a tile.

namespace {

using Order = std::array<int, 4>;

/// Place in x of each element of the result, in the result's order.
std::vector<Index> places(const std::array<Index, 4>& n, const Order& order) {
  const std::array<Index, 4> stride = {n[1] * n[2] * n[3], n[2] * n[3], n[3], 1};
  std::vector<Index> result;
  std::array<Index, 4> at{};
  for (at[0] = 0; at[0] < n[order[0]]; ++at[0])
    for (at[1] = 0; at[1] < n[order[1]]; ++at[1])
      for (at[2] = 0; at[2] < n[order[2]]; ++at[2])
        for (at[3] = 0; at[3] < n[order[3]]; ++at[3]) {
          Index place = 0;
          for (int k = 0; k < 4; ++k) place += at[k] * stride[order[k]];
          result.push_back(place);
        }
  return result;
}

/// True if value and gradient are right, the gradient both assigned and added to itself.
template <class T>
bool permutes(const std::array<Index, 4>& n, const Order& order) {
  const std::vector<Index> place = places(n, order);
  std::vector<T> numbers(place.size()), cotangent(place.size());
  std::iota(numbers.begin(), numbers.end(), T{0});
  std::iota(cotangent.begin(), cotangent.end(), T{1});
  Context<T> context;
  context.begin({});
  const Variable<T> x = context.input({numbers.data(), {n[0], n[1], n[2], n[3]}});
  const Variable<T> y = permute(x, {order[0], order[1], order[2], order[3]});
  for (const bool keep_graph : {true, false}) context.backward(y, {cotangent.data(), y.shape()}, keep_graph);
  bool same = true;
  for (std::size_t i = 0; i < place.size(); ++i) {
    same &= y.value()[i] == numbers[place[i]];
    same &= x.grad()[place[i]] == 2 * cotangent[i];
  }
  return same;
}

}  // namespace

TEST_CASE("permute moves every element to its place, forward and backward, for any order of the axes") {
  Order order = {0, 1, 2, 3};
  int orders = 0;
  do {
    CAPTURE(order[0] * 1000 + order[1] * 100 + order[2] * 10 + order[3]);
    for (const std::array<Index, 4>& n :
         {std::array<Index, 4>{3, 17, 5, 35}, {70, 3, 1, 67}, {1, 16, 32, 16}, {2, 1, 129, 2}}) {
      CHECK(permutes<float>(n, order));
      CHECK(permutes<double>(n, order));
    }
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(orders == 24);
}
