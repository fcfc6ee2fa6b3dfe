#include "autograd/ops.h"
#include "autograd/ops/dropout_mask.h"

namespace glossa {

namespace {

template <class T>
Variable<T> dropout_rows(const Variable<T>& x, double p, const RowLayout& layout) {
  Context<T>& c = context_of("dropout", {x});
  const DropoutMask<T> mask = draw_mask("dropout", c, x.shape(), p, layout);
  if (!mask) return x;
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::map(y, [&](Index i) { return mask(i, in[i]); });

  // dx = m dy / (1 - p), with the mask m of ones and zeros.
  return c.record("dropout", {x}, y, [mask](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return mask(i, dy[i]); });
  });
}

}  // namespace

template <class T>
Variable<T> dropout(const Variable<T>& x, double p) {
  const RowSpan all{0, x.shape().rows()};  // without a layout, all rows are one sequence
  return dropout_rows(x, p, {.rows = all.length, .sequences = {&all, 1}});
}

template <class T>
Variable<T> dropout(const Variable<T>& x, double p, const RowLayout& layout) {
  check_layout("dropout", layout, x.shape());
  return dropout_rows(x, p, layout);
}

template <class T>
Variable<T> add_dropout(const Variable<T>& x, const Variable<T>& branch, double p, const RowLayout& layout) {
  const char* const op = "add_dropout";
  Context<T>& c = context_of(op, {x, branch});
  check(x.shape() == branch.shape(), op, "expected equal shapes; got {} and {}", x.shape(), branch.shape());
  check_layout(op, layout, x.shape());
  const DropoutMask<T> mask = draw_mask(op, c, x.shape(), p, layout);
  if (!mask) return add(x, branch);
  const Tensor<const T> a = c.read(x);
  const auto taken = c.take(branch);
  const Tensor<T> y = taken.to;
  kernels::map(y, [&](Index i) { return a[i] + mask(i, taken.from[i]); });

  // dx = dy, dbranch = m dy / (1 - p).
  return c.record(op, {x, branch}, y, [mask](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i]; });
    back.add(1, [&](Index i) { return mask(i, dy[i]); });
  });
}

#define GLOSSA_INSTANTIATE(T)                                                 \
  template Variable<T> dropout(const Variable<T>&, double);                   \
  template Variable<T> dropout(const Variable<T>&, double, const RowLayout&); \
  template Variable<T> add_dropout(const Variable<T>&, const Variable<T>&, double, const RowLayout&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
