#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>
#include <vector>

#include "autograd/grad_check.h"

using namespace glossa;

/// log(cosh(x)) = |x| + log(1 + exp(-2 |x|)) - log(2), which cannot overflow. The derivative is dx = dy tanh(x).
template <class T>
Variable<T> log_cosh(const Variable<T>& x) {
  Context<T>& c = context_of("log_cosh", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::map(y, [&](Index i) {
    const T size = std::abs(in[i]);
    return size + std::log1p(std::exp(-2 * size)) - std::numbers::ln2_v<T>;
  });

  return c.record("log_cosh", {x}, y, [in](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i] * std::tanh(in[i]); });
  });
}

int main() try {
  std::vector<double> numbers{-1000, -2, 0, 0.3, 4, 1000};  // cosh(1000) would be infinite
  const Tensor<double> x{numbers, {2, 3}};
  const GradCheckResult result = grad_check(
      [](Context<double>&, std::span<const Variable<double>> inputs) { return log_cosh(inputs[0]); }, {&x, 1});
  std::puts(result.describe().c_str());
  return result.passes() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
