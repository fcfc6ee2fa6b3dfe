#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/kernels/vector_math.h"
#include "autograd/ops/elementwise_op.h"

namespace glossa {

template <class T>
Variable<T> tanh(const Variable<T>& x) {
  return elementwise(
      "tanh", x, [](T v) { return kernels::tanh(v); }, [](T dy, T, T y) { return dy * (1 - y * y); });
}

template <class T>
Variable<T> sigmoid(const Variable<T>& x) {
  return elementwise(
      "sigmoid", x, [](T v) { return kernels::sigmoid(v); }, [](T dy, T, T y) { return dy * y * (1 - y); });
}

template <class T>
Variable<T> relu(const Variable<T>& x) {
  return elementwise(
      "relu", x, [](T v) { return v < 0 ? T{0} : v; },  // this order keeps NaN
      [](T dy, T v, T) { return v > 0 ? dy : T{0}; }, [](T v) { return v > 0; });
}

template <class T>
Variable<T> gelu(const Variable<T>& x) {
  constexpr T root_half = std::numbers::sqrt2_v<T> / 2, density = std::numbers::inv_sqrtpi_v<T> * root_half;
  return elementwise(
      "gelu", x, [](T v) { return v / 2 * (1 + kernels::erf(v * root_half)); },
      [](T dy, T v, T y) {
        // d/dx x Phi(x) = Phi(x) + x phi(x). Phi(x) is y / x, which avoids a second erf. At 0, y / x is 0 / 0, and near
        // 0 y may underflow; Phi is 1/2 there.
        const T cumulative = kernels::select(std::abs(v) < T(1e-30), T(0.5), y / v);
        return dy * (cumulative + v * density * kernels::exp(-v * v / 2));
      });
}

template <class T>
Variable<T> gelu_tanh(const Variable<T>& x) {
  constexpr T a = std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>, b = T(0.044715);
  // v/2 (1 + tanh(u)) with u = sqrt(2/pi) (v + 0.044715 v^3).
  return elementwise(
      "gelu_tanh", x, [](T v) { return v / 2 * (1 + kernels::tanh(a * (v + b * v * v * v))); },
      [](T dy, T v, T) {
        const T t = kernels::tanh(a * (v + b * v * v * v)), u_slope = a * (1 + 3 * b * v * v);
        return dy / 2 * (1 + t + v * (1 - t * t) * u_slope);
      });
}

template <class T>
Variable<T> silu(const Variable<T>& x) {
  return elementwise(
      "silu", x, [](T v) { return v * kernels::sigmoid(v); },
      [](T dy, T v, T) {
        const T s = kernels::sigmoid(v);
        return dy * s * (1 + v * (1 - s));
      });
}

template <class T>
Variable<T> softplus(const Variable<T>& x) {
  // e^x would overflow for large x; e^-|x| cannot.
  return elementwise(
      "softplus", x, [](T v) { return std::max(v, T{0}) + std::log1p(kernels::exp(-std::abs(v))); },
      [](T dy, T v, T) { return dy * kernels::sigmoid(v); });
}

#define GLOSSA_INSTANTIATE(T)                         \
  template Variable<T> tanh(const Variable<T>&);      \
  template Variable<T> sigmoid(const Variable<T>&);   \
  template Variable<T> relu(const Variable<T>&);      \
  template Variable<T> gelu(const Variable<T>&);      \
  template Variable<T> gelu_tanh(const Variable<T>&); \
  template Variable<T> silu(const Variable<T>&);      \
  template Variable<T> softplus(const Variable<T>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
