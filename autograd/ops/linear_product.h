#pragma once

#include "autograd/context.h"
#include "autograd/kernels/gemm.h"
#include "autograd/kernels/rowwise.h"

namespace glossa {

/// W^T [I, O] as a factor of a product: the context's transpose of W if the context has one, else W [O, I] read
/// transposed.
template <class T>
kernels::Factor<T> transposed_weight(Context<T>& c, const Tensor<const T>& weight) {
  if (const T* const turned = c.transposed(weight)) return {turned, weight.rows(), false};
  return {weight.data, weight.cols(), true};
}

/// Computes the derivative of Y = X W^T + b, for all linear ops; inputs 0, 1 and (optionally) 2 are X, W and b. X is
/// [N, I], W [O, I], dY [N, O]. The three gradients are independent of each other, so one parallel loop computes all of
/// them.
template <class T>
void linear_gradients(Backward<T>& back, const Tensor<const T>& dy, const Tensor<const T>& x,
                      const Tensor<const T>& weight) {
  const Index rows = dy.rows(), outputs = weight.rows(), inputs = weight.cols();
  kernels::TiledProduct<T> dx, dw;
  if (back.needs(0)) {  // dX = dY W
    const Sink<T> to = back.sink(0);
    dx = {rows, inputs, outputs, {dy.data, outputs}, {weight.data, inputs}, to.beta(), to.grad.data, inputs};
  }
  if (back.needs(1)) {  // dW = dY^T X
    const Sink<T> to = back.sink(1);
    dw = {outputs, inputs, rows, {dy.data, outputs, true}, {x.data, inputs}, to.beta(), to.grad.data, inputs};
  }
  const Sink<T> db = back.optional_sink(2);  // sum over the rows of dY
  const Index strips = db ? kernels::strips(outputs) : 0;
  parallel_for(dw.count() + dx.count() + strips, [&](Index i) {
    if (i < dw.count()) return dw.compute(i);
    if (i -= dw.count(); i < dx.count()) return dx.compute(i);
    kernels::sum_strip<T>(db.grad, dy, db.add, i - dx.count());
  });
}

}  // namespace glossa
