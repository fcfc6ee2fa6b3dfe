#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/kernels/row.h"
#include "autograd/kernels/vector_math.h"
#include "autograd/ops.h"

namespace glossa {

namespace {

/// The number to subtract from a row, so that exp does not overflow: the row's maximum, or 0 for a row of -inf, where
/// -inf would give NaN.
template <class T>
T shift_of(const T* x, Index cols) {
  const T max = kernels::row_max<T>(cols, -std::numeric_limits<T>::infinity(), [&](Index j) { return x[j]; });
  return max == -std::numeric_limits<T>::infinity() ? T{0} : max;
}

/// to_j = exp(from_j - shift); returns the sum, which is 0 for a row of -inf.
template <class T>
T exp_row(const T* from, T shift, T* to, Index cols) {
#pragma omp simd
  for (Index j = 0; j < cols; ++j) to[j] = kernels::exp(from[j] - shift);
  return kernels::row_sum<T>(cols, [&](Index j) { return to[j]; });
}

}  // namespace

template <class T>
Variable<T> softmax(const Variable<T>& x) {
  Context<T>& c = context_of("softmax", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::for_each_row(y.rows(), y.cols(), [&](Index row) {
    const Index cols = y.cols();
    const T* from = in.row(row);
    T* to = y.row(row);
    const T sum = exp_row(from, shift_of(from, cols), to, cols);
    const T factor = sum == 0 ? T{0} : 1 / sum;
#pragma omp simd
    for (Index j = 0; j < cols; ++j) to[j] *= factor;
  });

  // dx = y (dy - <dy, y>), row by row. For finite dy, dx is zero where y is zero.
  return c.record("softmax", {x}, y, [y](Backward<T>& back) {
    const Sink<T> dx = back.sink(0);
    kernels::for_each_row(y.rows(), y.cols(), [&](Index row) {
      const T *dy = back.dy().row(row), *p = y.row(row);
      const T dot = kernels::row_sum<T>(y.cols(), [&](Index j) { return dy[j] * p[j]; });
      dx.write_row(row, [&](Index j) { return p[j] * (dy[j] - dot); });
    });
  });
}

template <class T>
Variable<T> log_softmax(const Variable<T>& x) {
  Context<T>& c = context_of("log_softmax", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::for_each_row(y.rows(), y.cols(), [&](Index row) {
    const Index cols = y.cols();
    const T* from = in.row(row);
    T* to = y.row(row);
    const T shift = shift_of(from, cols);
    const T sum = exp_row(from, shift, to, cols);
    const T log_sum = sum == 0 ? T{0} : std::log(sum);
#pragma omp simd
    for (Index j = 0; j < cols; ++j) to[j] = from[j] - shift - log_sum;
  });

  // dx = dy - softmax(x) sum(dy), row by row.
  return c.record("log_softmax", {x}, y, [y](Backward<T>& back) {
    const Sink<T> dx = back.sink(0);
    kernels::for_each_row(y.rows(), y.cols(), [&](Index row) {
      const T *dy = back.dy().row(row), *log_p = y.row(row);
      const bool empty = std::all_of(log_p, log_p + y.cols(), [](T v) { return std::isinf(v); });
      const T sum = kernels::row_sum<T>(y.cols(), [&](Index j) { return dy[j]; });
      if (empty)
        dx.write_row(row, [](Index) { return T{0}; });
      else
        dx.write_row(row, [&](Index j) { return dy[j] - kernels::exp(log_p[j]) * sum; });
    });
  });
}

#define GLOSSA_INSTANTIATE(T)                       \
  template Variable<T> softmax(const Variable<T>&); \
  template Variable<T> log_softmax(const Variable<T>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
