#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "autograd/ops.h"

using namespace glossa;

// Gradients at points where differences say nothing: what ops.h documents.

namespace {

using Vector = std::vector<double>;
using Call = std::function<Variable<double>(std::span<const Variable<double>>)>;

/// Gradients of the inputs, one after the other, for a cotangent of ones.
Vector gradient(std::vector<Vector> inputs, const Call& call) {
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

TEST_CASE("minimum and maximum hide NaN on neither side") {
  std::vector<double> number{1}, nan{NAN};
  Context<double> context;
  context.begin({});
  const Variable<double> a = context.constant({number.data(), {1}}), b = context.constant({nan.data(), {1}});
  for (const Variable<double>& y : {minimum(a, b), minimum(b, a), maximum(a, b), maximum(b, a)})
    CHECK(std::isnan(y.value()[0]));
}

TEST_CASE("documented gradients at kinks") {
  CHECK(gradient({{-1, 0, 1}}, [](auto x) { return relu(x[0]); }) == Vector{0, 0, 1});
  CHECK(gradient({{-1, 0, 1}}, [](auto x) { return abs(x[0]); }) == Vector{-1, 0, 1});
  CHECK(gradient({{-2, -1, 0, 1, 2}}, [](auto x) { return clamp(x[0], -1.0, 1.0); }) == Vector{0, 1, 1, 1, 0});
  CHECK(gradient({{1, 2, 3}, {1, 3, 2}}, [](auto x) { return maximum(x[0], x[1]); }) == Vector{0.5, 0, 1, 0.5, 1, 0});
  CHECK(gradient({{1, 2, 3}, {1, 3, 2}}, [](auto x) { return minimum(x[0], x[1]); }) == Vector{0.5, 1, 0, 0.5, 0, 1});
  CHECK(gradient({{1, 3, 3, 2}}, [](auto x) { return max(x[0]); }) == Vector{0, 1, 0, 0});
  CHECK(gradient({{1, 3, 3, 2}}, [](auto x) { return max(x[0], 0); }) == Vector{0, 1, 0, 0});
  CHECK(gradient({{0, 0}}, [](auto x) { return norm(x[0]); }) == Vector{0, 0});
  CHECK(gradient({{0, 0}}, [](auto x) { return norm(x[0], 0); }) == Vector{0, 0});
  CHECK(gradient({{0, 4}}, [](auto x) { return sqrt(x[0]); }) == Vector{INFINITY, 0.25});
  CHECK(gradient({{-1, 0, 2}}, [](auto x) { return pow(x[0], 0.0); }) == Vector{0, 0, 0});
  CHECK(gradient({{-1, 0, 2}}, [](auto x) { return pow(x[0], 2.0); }) == Vector{-2, 0, 4});
  const auto half_of_feed_forward = [](auto x) {  // x [3, 1], weight [1, 1]
    const RowSpan all{0, 3};
    return linear_relu(reshape(x[0], {3, 1}), reshape(x[1], {1, 1}), 0.0, {.rows = 3, .sequences = {&all, 1}});
  };
  CHECK(gradient({{-1, 0, 2}, {3}}, half_of_feed_forward) == Vector{0, 0, 3, 2});
}
