#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "autograd/grad_check.h"

using namespace glossa;

/// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)), which cannot overflow. The derivative is
/// dx = dy / (1 + exp(-x)).
template <class T>
Variable<T> softplus(const Variable<T>& x) {
  Context<T>& c = context_of("softplus", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::map(y, [&](Index i) { return std::max(in[i], T{0}) + std::log1p(std::exp(-std::abs(in[i]))); });

  return c.record("softplus", {x}, y, [in](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i] / (1 + std::exp(-in[i])); });
  });
}

int main() {
  std::vector<double> numbers{-1000, -2, 0, 0.3, 4, 1000};  // exp(1000) would be infinite
  const Tensor<double> x{numbers.data(), {2, 3}};
  const GradCheckResult result = grad_check(
      [](Context<double>&, std::span<const Variable<double>> inputs) { return softplus(inputs[0]); }, {&x, 1});
  std::puts(result.describe().c_str());
  return result.passes(1e-8) ? 0 : 1;
}
