#pragma once

#include "autograd/kernels/row.h"
#include "autograd/ops.h"

namespace glossa {

/// An op whose rows y [D] each depend on the same row x [D]: value(D, x, y) writes y. `derivative(D, dy, y, dx)` calls
/// `dx(f)` once, with a function f that returns dx_j for column j.
template <class T, class Value, class Derivative>
Variable<T> rowwise(const char* op, const Variable<T>& x, const Value& value, const Derivative& derivative) {
  Context<T>& c = context_of(op, {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::for_each_row(y, [&](Index i) { value(y.cols(), in.row(i), y.row(i)); });

  return c.record(op, {x}, y, [y, derivative](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    const Sink<T> to = back.sink(0);
    kernels::for_each_row(y, [&](Index i) {
      derivative(y.cols(), dy.row(i), static_cast<const T*>(y.row(i)), [&](const auto& dx) { to.write_row(i, dx); });
    });
  });
}

}  // namespace glossa
