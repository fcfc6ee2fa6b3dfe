#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "autograd/parameter.h"
#include "autograd/worse.h"

namespace glossa::test {

/// Parameters of many kinds: small ones with gaps behind them, a norm, biases of rank 1 and 2, and one that is
/// processed in several pieces with a tail.
template <class T>
struct Model {
  explicit Model(std::uint64_t seed = 1) {
    const auto normal = [](std::span<double> values, const Shape&, RandomStream& random) {
      for (double& x : values) x = random.normal();
    };
    store.declare("encoder.weight", {7, 5}, normal);
    store.declare("encoder.bias", {3}, normal);
    store.declare("encoder.norm.weight", {5}, normal);
    store.declare("decoder.weight", {200, 101}, normal);
    store.declare("decoder.in_bias", {1, 9}, normal);
    store.allocate(seed);
  }

  /// Sets the gradients of update n, of sizes from 1e-3 to 10; those of frozen parameters are left to fill_unset_grads.
  void set_grads(std::int64_t n, double scale = 1) {
    store.clear_grads();
    RandomStream random(static_cast<std::uint64_t>(n), "gradient");
    for (Parameter<T>* parameter : store.parameters())
      for (T& g : parameter->grad_tensor().span()) {
        const double drawn = scale * random.normal() * (1e-3 + 10 * (random.uniform() < 0.01));
        if (parameter->trainable) g = static_cast<T>(drawn);
        parameter->grad.set = parameter->trainable;
      }
    store.fill_unset_grads();
  }

  ParameterStore<T> store;
};

template <class T>
std::vector<double> copy(std::span<T> values) {
  return {values.begin(), values.end()};
}

/// Largest |a - b| / max(|a|, 1); infinite for NaN.
inline double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0 : 1e300;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = worse(largest, std::abs(a[i] - b[i]) / std::max(1.0, std::abs(a[i])));
  return largest;
}

}  // namespace glossa::test
