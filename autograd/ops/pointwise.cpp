#include <algorithm>
#include <cmath>

#include "autograd/kernels/vector_math.h"
#include "autograd/ops/elementwise_op.h"

namespace glossa {

template <class T>
Variable<T> exp(const Variable<T>& x) {
  return elementwise(
      "exp", x, [](T v) { return kernels::exp(v); }, [](T dy, T, T y) { return dy * y; });
}

template <class T>
Variable<T> log(const Variable<T>& x) {
  return elementwise(
      "log", x, [](T v) { return std::log(v); }, [](T dy, T v, T) { return dy / v; });
}

template <class T>
Variable<T> sqrt(const Variable<T>& x) {
  return elementwise(
      "sqrt", x, [](T v) { return std::sqrt(v); }, [](T dy, T, T y) { return dy / (2 * y); });
}

template <class T>
Variable<T> pow(const Variable<T>& x, double exponent) {
  const T e = static_cast<T>(exponent);
  return elementwise(
      "pow", x, [e](T v) { return std::pow(v, e); },
      [e](T dy, T v, T) { return e == 0 ? T{0} : dy * e * std::pow(v, e - 1); });
}

template <class T>
Variable<T> square(const Variable<T>& x) {
  return elementwise(
      "square", x, [](T v) { return v * v; }, [](T dy, T v, T) { return dy * (2 * v); });
}

template <class T>
Variable<T> abs(const Variable<T>& x) {
  Context<T>& c = context_of("abs", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::map(y, [&](Index i) { return std::abs(in[i]); });
  c.add_branches(y.size(), [&](Index i) { return in[i] > 0; });

  return c.record("abs", {x}, y, [in](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i] * static_cast<T>((in[i] > 0) - (in[i] < 0)); });
  });
}

template <class T>
Variable<T> clamp(const Variable<T>& x, double low, double high) {
  Context<T>& c = context_of("clamp", {x});
  if (!(low <= high)) fail("clamp", "expected low <= high; got {} and {} (shape {})", low, high, x.shape());
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  const T lower = static_cast<T>(low), upper = static_cast<T>(high);
  kernels::map(y, [&](Index i) { return std::min(std::max(in[i], lower), upper); });  // in this order NaN stays NaN
  c.add_branches(y.size(), [&](Index i) { return in[i] < lower; });
  c.add_branches(y.size(), [&](Index i) { return in[i] > upper; });

  return c.record("clamp", {x}, y, [in, lower, upper](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) {
      const T g = dy[i], v = in[i];  // loaded in both cases, so that the choice is not a branch
      return ((v >= lower) & (v <= upper)) ? g : T{0};
    });
  });
}

#define GLOSSA_INSTANTIATE(T)                           \
  template Variable<T> exp(const Variable<T>&);         \
  template Variable<T> log(const Variable<T>&);         \
  template Variable<T> sqrt(const Variable<T>&);        \
  template Variable<T> pow(const Variable<T>&, double); \
  template Variable<T> square(const Variable<T>&);      \
  template Variable<T> abs(const Variable<T>&);         \
  template Variable<T> clamp(const Variable<T>&, double, double);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
