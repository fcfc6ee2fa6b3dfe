#include "autograd/kernels/dropout.h"

#include "autograd/kernels/elementwise.h"
#include "autograd/ops.h"

namespace glossa {

namespace {

void check_probability(const char* op, double p) {
  check(p >= 0 && p <= 1, op, "expected a probability in [0, 1]; got {}", p);
}

template <class T>
void check_rows(const char* op, const Tensor<T>& x, const RowLayout& layout) {
  check(x.shape.rank() == 2 && x.rows() == layout.rows, op,
        "expected [N, D] with the N = {} rows of its layout; got {}", layout.rows, x.shape);
}

template <class T>
Variable<T> dropout_rows(const char* op, const Variable<T>& x, double p, const RowLayout& layout) {
  Context<T>& c = context_of(op, {x});
  check_probability(op, p);
  if (!c.training() || p == 0) return x;
  const Tensor<T> in = x.value(), y = c.tensor(in.shape);
  const kernels::DropoutSite site(c.random_key(), c.next_random_site(), p);
  const std::span<std::uint8_t> mask = c.template array<std::uint8_t>(in.size());
  kernels::dropout_mask(mask, in.cols(), site, layout);
  const T keep = static_cast<T>(site.keep_scale());
  kernels::map(y, [&](Index i) { return mask[i] ? in[i] * keep : T{0}; });

  return c.record(op, {x}, y, [mask, keep](Backward<T>& back) {
    const Tensor<T> dy = back.dy();
    back.add(0, [&](Index i) { return mask[i] ? dy[i] * keep : T{0}; });
  });
}

}  // namespace

template <class T>
Variable<T> dropout(const Variable<T>& x, double p) {
  const RowSpan all{0, x.shape().rows()};  // no sentences: one of all rows
  return dropout_rows("dropout", x, p, {.rows = all.length, .sentences = {&all, 1}});
}

template <class T>
Variable<T> dropout(const Variable<T>& x, double p, const RowLayout& layout) {
  check_rows("dropout", x.value(), layout);
  return dropout_rows("dropout", x, p, layout);
}

template <class T>
Variable<T> add_dropout(const Variable<T>& x, const Variable<T>& branch, double p, const RowLayout& layout) {
  Context<T>& c = context_of("add_dropout", {x, branch});
  check_probability("add_dropout", p);
  check(x.shape() == branch.shape(), "add_dropout", "expected two equal shapes; got {} and {}", x.shape(),
        branch.shape());
  check_rows("add_dropout", x.value(), layout);
  if (!c.training() || p == 0) return add(x, branch);
  const Tensor<T> a = x.value(), b = branch.value(), y = c.tensor(a.shape);
  const kernels::DropoutSite site(c.random_key(), c.next_random_site(), p);
  const std::span<std::uint8_t> mask = c.template array<std::uint8_t>(a.size());
  kernels::dropout_mask(mask, a.cols(), site, layout);
  const T keep = static_cast<T>(site.keep_scale());
  kernels::map(y, [&](Index i) { return mask[i] ? a[i] + b[i] * keep : a[i]; });

  return c.record("add_dropout", {x, branch}, y, [mask, keep](Backward<T>& back) {
    const Tensor<T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i]; });
    back.add(1, [&](Index i) { return mask[i] ? dy[i] * keep : T{0}; });
  });
}

#define GLOSSA_INSTANTIATE(T)                                                 \
  template Variable<T> dropout(const Variable<T>&, double);                   \
  template Variable<T> dropout(const Variable<T>&, double, const RowLayout&); \
  template Variable<T> add_dropout(const Variable<T>&, const Variable<T>&, double, const RowLayout&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)

}  // namespace glossa
