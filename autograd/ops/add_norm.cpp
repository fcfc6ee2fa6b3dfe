#include "autograd/kernels/bf16/round.h"
#include "autograd/ops/dropout_mask.h"
#include "autograd/ops/row_norm.h"

/// y = norm(s) with s = x + dropout(branch), and the norms of layer_norm.cpp. With dropout's mask m divided by 1 - p:
///     s = x + m branch,    dx = ds,    dbranch = m ds.
namespace glossa {

namespace {

/// The derivative reads n, which it computes from s or, in bf16, reads from memory. In bf16, y is kept in both forms.
template <class T>
Variable<T> add_norm_op(const char* op, kernels::About about, const Variable<T>& x, const Variable<T>& branch, double p,
                        const RowLayout& layout, const Variable<T>& gain, const OptionalVariable<T>& bias,
                        double epsilon) {
  Context<T>& c = context_of<T>(op, {x, branch, gain, bias});
  const Shape& shape = x.shape();
  check(shape == branch.shape(), op, "expected x and branch of equal shape; got {} and {}", shape, branch.shape());
  check_layout(op, layout, shape);
  const RowNorm<T> norm = make_norm<T>(op, c, about, shape, gain, bias, epsilon);
  const Tensor<const T> a = c.read(x);
  const DropoutMask<T> mask = draw_mask(op, c, shape, p, layout);
  const auto taken = c.take(branch);  // only after all checks
  const Index d = a.cols();
  /// Computes row i of s.
  const auto add_row = [&](Index i, T* s) {
    const T *const x_row = a.row(i), *const branch_row = taken.from.row(i);
    mask.visit([&](const auto& drop) {
      kernels::assign_row(d, s, [=, at = i * d](Index j) { return x_row[j] + drop(at + j, branch_row[j]); });
    });
  };
  /// Records y with its derivative. n(i) returns the function j -> n_j of row i.
  const auto record = [&](const Tensor<T>& y, const auto& n) {
    return c.record(op, {x, branch, gain, bias}, y, [norm, mask, d, n](Backward<T>& back) {
      const Sink<T> to_x = back.optional_sink(0), to_branch = back.optional_sink(1);
      norm_backward(back, norm, 2, n, [&](Index i, const T* ds) {
        to_x.write_row(i, [ds](Index j) { return ds[j]; });
        mask.visit([&](const auto& drop) {
          to_branch.write_row(i, [drop, ds, at = i * d](Index j) { return drop(at + j, ds[j]); });
        });
      });
    });
  };

  if (!c.rounds({x, branch, gain, bias})) {
    const Tensor<T> s = taken.to, y = c.tensor(shape);
    kernels::for_each_row(y, [&](Index i) {
      add_row(i, s.row(i));
      norm.normalize(i, s.row(i), y.row(i));
    });
    return record(y, [norm, s](Index i) { return norm.moments[i].normalized(s.row(i)); });
  }

  const Tensor<T> y = taken.to;  // each row of s is only in scratch
  const Tensor<Bf16> n = c.bf16_tensor(shape), rounded = c.bf16_tensor(shape);
  const Arena::Mark mark = c.scratch_mark();
  const Tensor<T> rows = c.scratch({threads(), d});
  kernels::for_each_row(y, [&](Index i) {
    T* const row = rows.row(thread_index());  // s, then n
    add_row(i, row);
    const auto moments = norm.moments[i] = kernels::row_moments(about, d, row, norm.epsilon);
    kernels::assign_row(d, row, moments.normalized(row));
    kernels::bf16::round_row(d, row, n.row(i));
    kernels::affine_row(
        d, [row](Index j) { return row[j]; }, norm.gain, norm.bias, y.row(i));
    kernels::bf16::round_row(d, y.row(i), rounded.row(i));
  });
  const Variable<T> result =
      record(y, [n](Index i) { return [row = n.row(i)](Index j) { return static_cast<T>(row[j].widened()); }; });
  return c.with_rounded(result, rounded.data);
}

}  // namespace

template <class T>
Variable<T> add_layer_norm(const Variable<T>& x, const Variable<T>& branch, double p, const RowLayout& layout,
                           const Variable<T>& gain, const Variable<T>& bias, double epsilon) {
  return add_norm_op("add_layer_norm", kernels::About::mean, x, branch, p, layout, gain, bias, epsilon);
}

template <class T>
Variable<T> add_rms_norm(const Variable<T>& x, const Variable<T>& branch, double p, const RowLayout& layout,
                         const Variable<T>& gain, double epsilon) {
  return add_norm_op<T>("add_rms_norm", kernels::About::zero, x, branch, p, layout, gain, {}, epsilon);
}

#define GLOSSA_INSTANTIATE(T)                                                                           \
  template Variable<T> add_layer_norm(const Variable<T>&, const Variable<T>&, double, const RowLayout&, \
                                      const Variable<T>&, const Variable<T>&, double);                  \
  template Variable<T> add_rms_norm(const Variable<T>&, const Variable<T>&, double, const RowLayout&,   \
                                    const Variable<T>&, double);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
