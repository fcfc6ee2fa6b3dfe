#include "autograd/kernels/layer_norm.h"

#include "autograd/kernels/bf16/round.h"
#include "autograd/ops/dropout_mask.h"
#include "autograd/ops/rounded_rows.h"

/// For each row x [D], with r = 1 / sqrt(variance + epsilon), n = (x - mean) r and g = dy gain:
///     y = n gain + bias,    dx = r (g - mean(g) - n mean(g n)),    dgain = sum(dy n),    dbias = sum(dy).
/// The last two sums are over all rows. RMS norm replaces the means of x and g by 0. kernels/layer_norm.h computes one
/// row. The ops add_... compute norm(s) with s = x + dropout(branch). With dropout's mask m divided by 1 - p:
///     s = x + m branch,    dx = ds,    dbranch = m ds.
namespace glossa {

namespace {

using kernels::About;
using kernels::RowMoments;
using kernels::RowNorm;

/// Makes the norm of an input of shape `x`. A missing gain requires a missing bias. Throws if their shapes or epsilon
/// are invalid.
template <class T>
RowNorm<T> make_norm(const char* op, Context<T>& c, About about, const Shape& x, const OptionalVariable<T>& gain,
                     const OptionalVariable<T>& bias, double epsilon) {
  check(epsilon >= 0, op, "expected epsilon >= 0; got {}", epsilon);
  const bool fits = !gain || (x.rank() >= 1 && gain->shape() == Shape{x.cols()});
  if (bias)
    check(fits && bias->shape() == gain->shape(), op, "expected x [..., D], gain [D] and bias [D]; got {}, {} and {}",
          x, gain->shape(), bias->shape());
  else if (!fits)
    fail(op, "expected x [..., D] and gain [D]; got {} and {}", x, gain->shape());
  const auto numbers = [&](const OptionalVariable<T>& input) { return input ? c.read(*input).data : nullptr; };
  return {about,         x.cols(),      static_cast<T>(epsilon),
          numbers(gain), numbers(bias), c.template array<RowMoments<T>>(x.rows())};
}

/// A gradient [D] that is a sum over rows. Each piece of rows has its own sum.
template <class T>
struct SumOverRows {
  Sink<T> to;      // empty if the gradient is not needed
  Tensor<T> sums;  // [pieces, D]

  /// Zeroed memory for the sum of a piece; null if the gradient is not needed.
  T* begin(Index piece) const {
    if (!to) return nullptr;
    std::fill_n(sums.row(piece), sums.cols(), T{0});
    return sums.row(piece);
  }

  /// Adds the pieces' sums, in order.
  void finish() const {
    if (!to) return;
    const Tensor<T> total = to.zeroed();
    for (Index p = 0; p < sums.rows(); ++p)
      kernels::add_to_row(total.size(), total.data, [row = sums.row(p)](Index j) { return row[j]; });
  }
};

/// Calls f(i, dy, dgain, dbias, dx) for each row i: `f` writes dx [D], and adds the row's share of the gradients of
/// gain and bias, if not null. These gradients belong to the inputs gain_input and gain_input + 1.
template <class T, class F>
void for_each_row_with_sums(Backward<T>& back, int gain_input, const F& f) {
  constexpr Index rows_per_piece = 64;
  const Tensor<const T> dy = back.dy();
  const Index d = dy.cols(), rows = dy.rows(), count = (rows + rows_per_piece - 1) / rows_per_piece;
  const auto sum_for = [&](int input) {
    const Sink<T> to = back.optional_sink(input);
    return SumOverRows<T>{to, to ? back.scratch({count, d}) : Tensor<T>{}};
  };
  const SumOverRows<T> dgain = sum_for(gain_input), dbias = sum_for(gain_input + 1);
  const Tensor<T> dx = back.scratch({count, d});  // one row per piece
  parallel_for(count, [&](Index piece) {
    T *const gain_sum = dgain.begin(piece), *const bias_sum = dbias.begin(piece);
    const Index end = std::min(rows, (piece + 1) * rows_per_piece);
    for (Index i = piece * rows_per_piece; i < end; ++i) f(i, dy.row(i), gain_sum, bias_sum, dx.row(piece));
  });
  dgain.finish();
  dbias.finish();
}

template <class T>
Variable<T> norm_op(const char* op, About about, const Variable<T>& x, const OptionalVariable<T>& gain,
                    const OptionalVariable<T>& bias, double epsilon, Use use) {
  Context<T>& c = context_of<T>(op, {x, gain, bias});
  const RowNorm<T> norm = make_norm<T>(op, c, about, x.shape(), gain, bias, epsilon);
  const Tensor<const T> in = c.read(x);

  return record_rows<T>(
      op, {x, gain, bias}, x.shape(), use, [&](Index i, T* y) { kernels::norm_row(norm, i, in.row(i), y); },
      [norm, in](Backward<T>& back) {
        const Sink<T> to_x = back.optional_sink(0);
        for_each_row_with_sums(back, 1, [&](Index i, const T* dy, T* dgain, T* dbias, T* dx) {
          kernels::norm_row_backward(norm, i, norm.moments[i].normalized(in.row(i)), dy, dgain, dbias, dx);
          to_x.write_row(i, [dx](Index j) { return dx[j]; });
        });
      });
}

/// The derivative reads n, which it computes from s or, in bf16, reads from memory. In bf16, y is kept in both forms.
template <class T>
Variable<T> add_norm_op(const char* op, About about, const Variable<T>& x, const Variable<T>& branch, double p,
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
      for_each_row_with_sums(back, 2, [&](Index i, const T* dy, T* dgain, T* dbias, T* ds) {
        kernels::norm_row_backward(norm, i, n(i), dy, dgain, dbias, ds);
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
      kernels::norm_row(norm, i, s.row(i), y.row(i));
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
        norm, [row](Index j) { return row[j]; }, y.row(i));
    kernels::bf16::round_row(d, y.row(i), rounded.row(i));
  });
  const Variable<T> result =
      record(y, [n](Index i) { return [row = n.row(i)](Index j) { return static_cast<T>(row[j].widened()); }; });
  return c.with_rounded(result, rounded.data);
}

}  // namespace

template <class T>
Variable<T> layer_norm(const Variable<T>& x, const Variable<T>& gain, const Variable<T>& bias, double epsilon,
                       Use use) {
  return norm_op("layer_norm", About::mean, x, gain, bias, epsilon, use);
}

template <class T>
Variable<T> layer_norm(const Variable<T>& x, double epsilon) {
  return norm_op<T>("layer_norm", About::mean, x, {}, {}, epsilon, Use::any);
}

template <class T>
Variable<T> rms_norm(const Variable<T>& x, const Variable<T>& gain, double epsilon, Use use) {
  return norm_op<T>("rms_norm", About::zero, x, gain, {}, epsilon, use);
}

template <class T>
Variable<T> rms_norm(const Variable<T>& x, double epsilon) {
  return norm_op<T>("rms_norm", About::zero, x, {}, {}, epsilon, Use::any);
}

template <class T>
Variable<T> add_layer_norm(const Variable<T>& x, const Variable<T>& branch, double p, const RowLayout& layout,
                           const Variable<T>& gain, const Variable<T>& bias, double epsilon) {
  return add_norm_op("add_layer_norm", About::mean, x, branch, p, layout, gain, bias, epsilon);
}

template <class T>
Variable<T> add_rms_norm(const Variable<T>& x, const Variable<T>& branch, double p, const RowLayout& layout,
                         const Variable<T>& gain, double epsilon) {
  return add_norm_op<T>("add_rms_norm", About::zero, x, branch, p, layout, gain, {}, epsilon);
}

#define GLOSSA_INSTANTIATE(T)                                                                               \
  template Variable<T> layer_norm(const Variable<T>&, const Variable<T>&, const Variable<T>&, double, Use); \
  template Variable<T> layer_norm(const Variable<T>&, double);                                              \
  template Variable<T> rms_norm(const Variable<T>&, const Variable<T>&, double, Use);                       \
  template Variable<T> rms_norm(const Variable<T>&, double);                                                \
  template Variable<T> add_layer_norm(const Variable<T>&, const Variable<T>&, double, const RowLayout&,     \
                                      const Variable<T>&, const Variable<T>&, double);                      \
  template Variable<T> add_rms_norm(const Variable<T>&, const Variable<T>&, double, const RowLayout&,       \
                                    const Variable<T>&, double);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
