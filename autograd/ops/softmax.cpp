#include <algorithm>
#include <cmath>

#include "autograd/kernels/exp_sum.h"
#include "autograd/ops.h"

namespace glossa {

// For each row: y = e^x / sum(e^x), dx = y (dy - sum(dy y)). For finite dy, dx
// is zero where y is zero.
template <class T> Variable<T> softmax(const Variable<T> &x) {
  Context<T> &c = context_of("softmax", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::for_each_row(y, [&](Index row) {
    T *const p = y.row(row);
    const T sum = kernels::exp_row(y.cols(), in.row(row),
                                   kernels::exp_top(y.cols(), in.row(row)), p);
    const T factor = sum == 0 ? T{0} : 1 / sum;
    kernels::assign_row(y.cols(), p, [=](Index j) { return p[j] * factor; });
  });

  return c.record("softmax", {x}, y, [y](Backward<T> &back) {
    const Sink<T> dx = back.sink(0);
    kernels::for_each_row(y, [&](Index row) {
      const T *dy = back.dy().row(row), *p = y.row(row);
      const T dot =
          kernels::row_sum<T>(y.cols(), [&](Index j) { return dy[j] * p[j]; });
      dx.write_row(row, [&](Index j) { return p[j] * (dy[j] - dot); });
    });
  });
}

// For each row: y = x - log(sum(e^x)), dx = dy - e^y sum(dy). If all x are
// -inf, so are all y, and dx is zero.
template <class T> Variable<T> log_softmax(const Variable<T> &x) {
  Context<T> &c = context_of("log_softmax", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::for_each_row(y, [&](Index row) {
    const T *const from = in.row(row);
    const auto [top, sum] = kernels::exp_sum(y.cols(), from);
    const T log_sum = sum == 0 ? T{0} : std::log(sum);
    kernels::assign_row(y.cols(), y.row(row), [=, top = top](Index j) {
      return from[j] - top - log_sum;
    });
  });

  return c.record("log_softmax", {x}, y, [y](Backward<T> &back) {
    const Sink<T> dx = back.sink(0);
    kernels::for_each_row(y, [&](Index row) {
      const T *dy = back.dy().row(row), *log_p = y.row(row);
      const bool empty = std::all_of(log_p, log_p + y.cols(),
                                     [](T v) { return std::isinf(v); });
      const T sum =
          kernels::row_sum<T>(y.cols(), [&](Index j) { return dy[j]; });
      if (empty)
        return dx.write_row(row, [](Index) { return T{0}; });
      dx.write_row(
          row, [&](Index j) { return dy[j] - kernels::exp(log_p[j]) * sum; });
    });
  });
}

#define GLOSSA_INSTANTIATE(T)                                                  \
  template Variable<T> softmax(const Variable<T> &);                           \
  template Variable<T> log_softmax(const Variable<T> &);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

} // namespace glossa
