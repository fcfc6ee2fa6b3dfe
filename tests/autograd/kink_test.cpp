#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "autograd/ops.h"

using namespace glossa;

// At points where differences are meaningless, gradients are as documented in ops.h.

namespace {

using Vector = std::vector<double>;
using Differentiable = std::function<Variable<double>(std::span<const Variable<double>>)>;

/// Gradients of the inputs, one after the other, for a cotangent of ones.
Vector gradient(std::vector<Vector> inputs, const Differentiable& call) {
  Context<double> context;
  context.begin({});
  std::vector<Variable<double>> variables;
  for (Vector& input : inputs) variables.push_back(context.input({input.data(), {static_cast<Index>(input.size())}}));
  const Variable<double> y = call(variables);
  Vector ones(y.size(), 1.0), result;
  context.backward(y, {ones.data(), y.shape()});
  for (const Variable<double>& x : variables) result.insert(result.end(), x.grad().data, x.grad().data + x.size());
  return result;
}

}  // namespace

TEST_CASE("minimum and maximum propagate NaN from either side") {
  std::vector<double> number{1}, nan{NAN};
  Context<double> context;
  context.begin({});
  const Variable<double> a = context.constant({number.data(), {1}}), b = context.constant({nan.data(), {1}});
  for (const Variable<double>& y : {minimum(a, b), minimum(b, a), maximum(a, b), maximum(b, a)})
    CHECK(std::isnan(y.value()[0]));
}

TEST_CASE("gradients at kinks are as documented") {
  CHECK(gradient({{-1, 0, 1}}, [](auto x) { return relu(x[0]); }) == Vector{0, 0, 1});
  CHECK(gradient({{-1, 0, 1}}, [](auto x) { return abs(x[0]); }) == Vector{-1, 0, 1});
  CHECK(gradient({{-2, -1, 0, 1, 2}}, [](auto x) { return clamp(x[0], -1.0, 1.0); }) == Vector{0, 1, 1, 1, 0});
  CHECK(gradient({{1, 2, 3}, {1, 3, 2}}, [](auto x) { return maximum(x[0], x[1]); }) == Vector{0.5, 0, 1, 0.5, 1, 0});
  CHECK(gradient({{1, 2, 3}, {1, 3, 2}}, [](auto x) { return minimum(x[0], x[1]); }) == Vector{0.5, 1, 0, 0.5, 0, 1});
  CHECK(gradient({{1, 3, 3, 2}}, [](auto x) { return max(x[0]); }) == Vector{0, 1, 0, 0});
  CHECK(gradient({{1, 3, 3, 2}}, [](auto x) { return max(x[0], 0); }) == Vector{0, 1, 0, 0});
  CHECK(gradient({{0, 0}}, [](auto x) { return norm(x[0]); }) == Vector{0, 0});
  CHECK(gradient({{0, 0}}, [](auto x) { return norm(x[0], 0); }) == Vector{0, 0});
  CHECK(gradient({{3, 3}}, [](auto x) { return stddev(x[0]); }) == Vector{0, 0});
  CHECK(gradient({{1, 3, 3, 2}}, [](auto x) { return topk(x[0], 1).values; }) == Vector{0, 1, 0, 0});
  CHECK(gradient({{0, 4}}, [](auto x) { return sqrt(x[0]); }) == Vector{INFINITY, 0.25});
  CHECK(gradient({{-1, 0, 2}}, [](auto x) { return pow(x[0], 0.0); }) == Vector{0, 0, 0});
  CHECK(gradient({{-1, 0, 2}}, [](auto x) { return pow(x[0], 2.0); }) == Vector{-2, 0, 4});
  const auto half_of_feed_forward = [](auto x) {  // x [3, 1], weight [1, 1]
    const RowSpan all{0, 3};
    return linear_relu(reshape(x[0], {3, 1}), reshape(x[1], {1, 1}), 0.0, {.rows = 3, .sequences = {&all, 1}});
  };
  CHECK(gradient({{-1, 0, 2}, {3}}, half_of_feed_forward) == Vector{0, 0, 3, 2});
}

// Rows longer than a vector and than a block, and more elements than one piece: each has its own code path.
TEST_CASE("max takes the first of equal elements, or the first NaN, in any position") {
  const auto winner = [](const Vector& slice) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < slice.size(); ++i)
      if (slice[i] > slice[best] || (std::isnan(slice[i]) && !std::isnan(slice[best]))) best = i;
    return best;
  };
  const auto gradient_of_winner = [&](const Vector& slice) {
    Vector ones(slice.size(), 0.0);
    ones[winner(slice)] = 1;
    return ones;
  };
  for (const std::size_t n : {5, 150, 20001})
    for (const std::vector<std::size_t>& largest : {std::vector<std::size_t>{n - 1}, {n / 2, n - 2}, {1, 2, 3}, {}})
      for (const std::vector<std::size_t>& nans : {std::vector<std::size_t>{}, {n - 3, n - 1}, {0, 2}}) {
        Vector x(n, -INFINITY);
        for (std::size_t i = 0; i < n; i += 7) x[i] = -1.0 - static_cast<double>(i % 11);
        for (const std::size_t i : largest) x[i] = 3;
        for (const std::size_t i : nans) x[i] = NAN;
        const Index rows = static_cast<Index>(n);
        const Vector expected = gradient_of_winner(x);
        CHECK(gradient({x}, [](auto v) { return max(v[0]); }) == expected);
        const Vector twice = gradient({x, x}, [](auto v) { return max(stack(v, 0), 1); });
        CHECK(Vector(twice.begin(), twice.begin() + rows) == expected);
        CHECK(Vector(twice.begin() + rows, twice.end()) == expected);
        CHECK(gradient({x, x}, [](auto v) { return max(stack(v, 1), 0); }) == twice);
      }
}
