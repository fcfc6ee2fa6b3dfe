#include <algorithm>
#include <cmath>

#include "autograd/kernels/exp_sum.h"
#include "autograd/ops/rowwise_op.h"

namespace glossa {

// For each row: y = e^x / sum(e^x), dx = y (dy - sum(dy y)). For finite dy, dx is zero where y is zero.
template <class T>
Variable<T> softmax(const Variable<T>& x) {
  return rowwise(
      "softmax", x,
      [](Index d, const T* from, T* y) {
        const T sum = kernels::exp_row(d, from, y).sum;
        const T factor = sum == 0 ? T{0} : 1 / sum;
        kernels::assign_row(d, y, [=](Index j) { return y[j] * factor; });
      },
      [](Index d, const T* dy, const T* y, const auto& dx) {
        const T dot = kernels::row_sum<T>(d, [=](Index j) { return dy[j] * y[j]; });
        dx([=](Index j) { return y[j] * (dy[j] - dot); });
      });
}

// For each row: y = x - log(sum(e^x)), dx = dy - e^y sum(dy). If all x are -inf, so are all y, and dx is zero.
template <class T>
Variable<T> log_softmax(const Variable<T>& x) {
  return rowwise(
      "log_softmax", x,
      [](Index d, const T* from, T* y) {
        const auto [top, sum] = kernels::exp_row(d, from, y);
        const T log_sum = sum == 0 ? T{0} : std::log(sum);
        kernels::assign_row(d, y, [=, top = top](Index j) { return from[j] - top - log_sum; });
      },
      [](Index d, const T* dy, const T* y, const auto& dx) {
        const bool empty = std::all_of(y, y + d, [](T v) { return std::isinf(v); });
        const T sum = kernels::row_sum<T>(d, [=](Index j) { return dy[j]; });
        if (empty) return dx([](Index) { return T{0}; });
        dx([=](Index j) { return dy[j] - kernels::exp(y[j]) * sum; });
      });
}

#define GLOSSA_INSTANTIATE(T)                       \
  template Variable<T> softmax(const Variable<T>&); \
  template Variable<T> log_softmax(const Variable<T>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
