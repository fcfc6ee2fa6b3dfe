#pragma once

#include "autograd/context.h"
#include "autograd/kernels/row.h"

namespace glossa {

/// Fills y [..., D] in bf16. compute(i, row) writes row i in T, in scratch of the calling thread; the row is then
/// rounded.
template <class T, class Compute>
void fill_rounded_rows(Context<T>& c, const Tensor<Bf16>& y, const Compute& compute) {
  const Arena::Mark mark = c.scratch_mark();
  const Tensor<T> rows = c.scratch({threads(), y.cols()});
  kernels::for_each_row(y.rows(), y.cols(), [&](Index i) {
    T* const row = rows.row(thread_index());
    compute(i, row);
    kernels::bf16::round_row(y.cols(), row, y.row(i));
  });
}

}  // namespace glossa
