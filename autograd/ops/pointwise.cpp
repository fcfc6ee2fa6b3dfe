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
  return elementwise(
      "abs", x, [](T v) { return std::abs(v); }, [](T dy, T v, T) { return dy * static_cast<T>((v > 0) - (v < 0)); },
      [](T v) { return v > 0; });
}

template <class T>
Variable<T> clamp(const Variable<T>& x, double low, double high) {
  context_of("clamp", {x});
  if (!(low <= high)) fail("clamp", "expected low <= high; got {} and {} (shape {})", low, high, x.shape());
  const T lower = static_cast<T>(low), upper = static_cast<T>(high);
  return elementwise(
      "clamp", x, [=](T v) { return std::min(std::max(v, lower), upper); },  // this order keeps NaN
      [=](T dy, T v, T) { return ((v >= lower) & (v <= upper)) ? dy : T{0}; }, [=](T v) { return v < lower; },
      [=](T v) { return v > upper; });
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
