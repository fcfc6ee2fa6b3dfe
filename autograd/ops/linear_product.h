#pragma once

#include "autograd/context.h"
#include "autograd/kernels/bf16/product.h"
#include "autograd/kernels/gemm.h"
#include "autograd/kernels/rowwise.h"

namespace glossa {

/// Packs the right factor [k, n] of a product in bf16 if several tiles of the product share columns. `memory(size)`
/// returns scratch.
template <class T, class Memory>
void pack_if_shared(Precision precision, Index m, Index n, Index k, kernels::Factor<T>& b, const Memory& memory) {
  if constexpr (std::is_same_v<T, float>) {
    if (!kernels::tiles_share_columns(m, n, precision)) return;
    auto* const to = reinterpret_cast<kernels::bf16::Pair*>(memory(kernels::bf16::packed_size(n, k)));
    parallel_for(kernels::panels(n), [&, &kind = kernels::bf16::kind()](Index panel) {
      kernels::bf16::pack_panel(kind, n, k, b, panel, to);
    });
    b.packed = to;
  }
}

/// Numbers of a bias [O] for a weight [O, I]; no data without a bias. Throws if the bias has another shape; `letter`
/// names O in the message.
template <class T>
Tensor<const T> read_bias(Context<T>& c, const char* op, const std::optional<Variable<T>>& bias, const Shape& weight,
                          char letter = 'O') {
  if (!bias) return {};
  check(bias->shape() == Shape{weight.rows()}, op, "expected bias [{}] for weight {}; got {}", letter, weight,
        bias->shape());
  return c.read(*bias);
}

/// W^T [I, O] as the right factor of a product with `rows` rows, for all linear ops. The factor is in int8, in the
/// context's prepared form, or W [O, I] read transposed. A product in bf16 may pack it in the context's scratch.
template <class T>
kernels::Factor<T> transposed_weight(Context<T>& c, Index rows, const Variable<T>& weight) {
  if (const auto prepared = c.prepared(weight)) return *prepared;
  const Tensor<const T> w = c.read(weight);
  kernels::Factor<T> result{.data = w.data, .stride = w.cols(), .transposed = true};
  pack_if_shared(c.precision(), rows, w.rows(), w.cols(), result, [&](Index size) { return c.scratch({size}).data; });
  return result;
}

/// Derivative of Y = X W^T + b for all linear ops. Inputs 0, 1 and (optionally) 2 are X, W and b: X [N, I], W [O, I],
/// dY [N, O]. The three gradients are independent, so one parallel loop computes all of them. In bf16, db is the sum of
/// the rounded rows of dY.
template <class T>
void linear_gradients(Backward<T>& back, const kernels::Factor<T>& dy, const kernels::Factor<T>& x,
                      const Tensor<const T>& weight) {
  const Index rows = back.dy().rows(), outputs = weight.rows(), inputs = weight.cols();
  const Precision precision = back.precision();
  kernels::TiledProduct<T> dx, dw;
  if (const Sink<T> to = back.optional_sink(0)) {  // dX = dY W
    kernels::Factor<T> right{.data = weight.data, .stride = inputs};
    pack_if_shared(precision, rows, inputs, outputs, right, [&](Index size) { return back.scratch({size}).data; });
    dx = {rows, inputs, outputs, dy, right, to.beta(), {to.grad.data, inputs}, precision};
  }
  if (const Sink<T> to = back.optional_sink(1)) {  // dW = dY^T X
    kernels::Factor<T> left = dy;
    left.transposed = true;
    dw = {outputs, inputs, rows, left, x, to.beta(), {to.grad.data, inputs}, precision};
  }
  const Sink<T> db = back.optional_sink(2);  // sum over the rows of dY
  const Index strips = db ? kernels::strips(outputs) : 0;
  parallel_for(dw.count() + dx.count() + strips, [&](Index i) {
    if (i < dw.count()) return dw.compute(i);
    if (i -= dw.count(); i < dx.count()) return dx.compute(i);
    kernels::sum_strip<T>(db.grad, rows, dy, db.add, i - dx.count());
  });
}

}  // namespace glossa
