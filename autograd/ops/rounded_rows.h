#pragma once

#include "autograd/kernels/row.h"
#include "autograd/ops.h"

namespace glossa {

/// Fills y [..., D] in bf16. compute(i, row) writes row i in T, in scratch of the calling thread; the row is then
/// rounded.
template <class T, class Compute>
void fill_rounded_rows(Context<T>& c, const Tensor<Bf16>& y, const Compute& compute) {
  const Arena::Mark mark = c.scratch_mark();
  const Tensor<T> rows = c.scratch({threads(), y.cols()});
  kernels::for_each_row(y, [&](Index i) {
    T* const row = rows.row(thread_index());
    compute(i, row);
    kernels::bf16::round_row(y.cols(), row, y.row(i));
  });
}

/// Records an op whose value [..., D] is computed row by row: compute(i, y) writes row i. The value is in bf16 if only
/// products read it and the step is in bf16 (see Context::rounds).
template <class T, class Compute, class Derivative>
Variable<T> record_rows(const char* op, OpInputs<T> inputs, const Shape& shape, Use use, const Compute& compute,
                        const Derivative& derivative) {
  Context<T>& c = context_of<T>(op, inputs);
  if (use == Use::products && c.rounds(inputs)) {
    const Tensor<Bf16> y = c.bf16_tensor(shape);
    fill_rounded_rows(c, y, compute);
    return c.record(op, inputs, y, derivative);
  }
  const Tensor<T> y = c.tensor(shape);
  kernels::for_each_row(y, [&](Index i) { compute(i, y.row(i)); });
  return c.record(op, inputs, y, derivative);
}

}  // namespace glossa
