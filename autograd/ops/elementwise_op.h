#pragma once

#include "autograd/ops.h"

namespace glossa {

/// An op with y[i] = value(x[i]). `derivative(dy, v, y)` returns dx for one element v = x[i], with y = y[i]. Its unused
/// arguments are not loaded from memory. For each kink, an op passes a function `branch(v)`, which is true on one side
/// of the kink.
template <class T, class Value, class Derivative, class... Branch>
Variable<T> elementwise(const char* op, const Variable<T>& x, const Value& value, const Derivative& derivative,
                        const Branch&... branch) {
  Context<T>& c = context_of(op, {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::map(y, [&](Index i) { return value(in[i]); });
  (c.add_branches(y.size(), [&](Index i) { return branch(in[i]); }), ...);

  return c.record(op, {x}, y, [in, y, derivative](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return derivative(dy[i], in[i], y[i]); });
  });
}

}  // namespace glossa
