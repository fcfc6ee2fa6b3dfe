#include "autograd/kernels/layer_norm.h"

#include "autograd/kernels/bf16/round.h"
#include "autograd/ops.h"
#include "autograd/ops/dropout_mask.h"
#include "autograd/ops/rounded_rows.h"

/// For each row x [D], with r = 1 / sqrt(variance + epsilon), n = (x - mean) r and g = dy gain:
///     y = n gain + bias,    dx = r (g - mean(g) - n mean(g n)),    dgain = sum(dy n),    dbias = sum(dy).
/// The last two sums are over all rows. RMS norm replaces the means of x and g by 0. kernels/layer_norm.h computes one
/// row.
namespace glossa {

namespace {

using kernels::About;
using kernels::RowMoments;

/// A norm of the rows of x, and its state for the derivative.
template <class T>
struct RowNorm {
  About about;
  T epsilon;
  const T *gain, *bias;  // null: 1 and 0
  std::span<RowMoments<T>> moments;
  Tensor<const T> x{};         // if it has no data, `normalized` replaces it in the derivative
  Bf16* normalized = nullptr;  // n in bf16

  /// y = n gain + bias for row i of x, passed as `row`.
  void normalize(Index i, const T* row, T* y) const {
    moments[i] = kernels::norm_row(about, x.cols(), row, gain, bias, epsilon, y);
  }

  /// As `normalize`, and writes n to `normalized` and y to `rounded`, both in bf16. Overwrites `row` with n.
  void normalize_in_bf16(Index i, T* row, T* y, Bf16* rounded) const {
    const Index d = x.cols();
    const auto [mean, inverse] = moments[i] = kernels::row_moments(about, d, row, epsilon);
    kernels::assign_row(d, row, [=, m = mean, r = inverse](Index j) { return (row[j] - m) * r; });
    kernels::bf16::round_row(d, row, normalized + i * d);
    const auto n = [row](Index j) { return row[j]; };
    kernels::affine_row(d, n, gain, bias, y);
    kernels::bf16::round_row(d, y, rounded);
  }

  /// Sets dx of row i, and adds the row's terms to dgain and dbias unless null.
  void row_backward(Index i, const T* dy, T* dgain, T* dbias, T* dx) const {
    const Index d = x.cols();
    const auto [mean, inverse] = moments[i];
    const auto backward = [&, inverse = inverse](const auto& n) {
      kernels::norm_row_backward<T>(about, d, n, inverse, gain, dy, dgain, dbias, dx);
    };
    if (normalized)
      backward([row = normalized + i * d](Index j) { return static_cast<T>(row[j].widened()); });
    else
      backward([row = x.row(i), mean = mean, inverse = inverse](Index j) { return (row[j] - mean) * inverse; });
  }
};

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
  const std::span<RowMoments<T>> moments = c.template array<RowMoments<T>>(x.rows());
  return {about, static_cast<T>(epsilon), numbers(gain), numbers(bias), moments, {nullptr, x}};
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

/// Derivative of all forms, in one pass over x and dy. Inputs gain_input and gain_input + 1 are gain and bias. write(i,
/// dx) receives the gradient of row i of the normalized input.
template <class T, class Write>
void backward(Backward<T>& back, const RowNorm<T>& norm, int gain_input, const Write& write) {
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
    for (Index i = piece * rows_per_piece; i < end; ++i) {
      norm.row_backward(i, dy.row(i), gain_sum, bias_sum, dx.row(piece));
      write(i, dx.row(piece));
    }
  });
  dgain.finish();
  dbias.finish();
}

/// y = norm(x).
template <class T>
Variable<T> norm_op(const char* op, About about, const Variable<T>& x, const OptionalVariable<T>& gain,
                    const OptionalVariable<T>& bias, double epsilon, Use use) {
  Context<T>& c = context_of<T>(op, {x, gain, bias});
  RowNorm<T> norm = make_norm<T>(op, c, about, x.shape(), gain, bias, epsilon);
  norm.x = c.read(x);

  return record_rows<T>(
      op, {x, gain, bias}, x.shape(), use, [&](Index i, T* y) { norm.normalize(i, norm.x.row(i), y); },
      [norm](Backward<T>& back) {
        const Sink<T> to_x = back.optional_sink(0);
        backward(back, norm, 1, [&](Index i, const T* dx) { to_x.write_row(i, [dx](Index j) { return dx[j]; }); });
      });
}

/// y = norm(s) with s = x + dropout(branch): dx = ds, dbranch = m ds, with dropout's mask m divided by 1 - p. The
/// derivative reads s or, in bf16, n. In bf16, y is kept in both forms.
template <class T>
Variable<T> add_norm_op(const char* op, About about, const Variable<T>& x, const Variable<T>& branch, double p,
                        const RowLayout& layout, const Variable<T>& gain, const OptionalVariable<T>& bias,
                        double epsilon) {
  Context<T>& c = context_of<T>(op, {x, branch, gain, bias});
  const Shape& shape = x.shape();
  check(shape == branch.shape(), op, "expected x and branch of equal shape; got {} and {}", shape, branch.shape());
  check_layout(op, layout, shape);
  RowNorm<T> norm = make_norm<T>(op, c, about, shape, gain, bias, epsilon);
  const Tensor<const T> a = c.read(x);
  const DropoutMask<T> mask = draw_mask(op, c, shape, p, layout);
  const auto taken = c.take(branch);  // only after all checks
  const Index d = a.cols();
  /// s = x + dropout(branch) for row i.
  const auto add_row = [&](Index i, T* s) {
    const T *const x_row = a.row(i), *const branch_row = taken.from.row(i);
    mask.visit([&](const auto& drop) {
      kernels::assign_row(d, s, [=, at = i * d](Index j) { return x_row[j] + drop(at + j, branch_row[j]); });
    });
  };

  Tensor<T> y;
  Bf16* rounded = nullptr;
  if (!c.rounds({x, branch, gain, bias})) {
    const Tensor<T> s = taken.to;
    norm.x = s;
    y = c.tensor(shape);
    kernels::for_each_row(y, [&](Index i) {
      add_row(i, s.row(i));
      norm.normalize(i, s.row(i), y.row(i));
    });
  } else {
    y = taken.to;  // s is in scratch
    norm.normalized = c.bf16_tensor(shape).data;
    rounded = c.bf16_tensor(shape).data;
    const Arena::Mark mark = c.scratch_mark();
    const Tensor<T> rows = c.scratch({threads(), d});
    kernels::for_each_row(y, [&](Index i) {
      T* const s = rows.row(thread_index());
      add_row(i, s);
      norm.normalize_in_bf16(i, s, y.row(i), rounded + i * d);
    });
  }

  const Variable<T> result = c.record(op, {x, branch, gain, bias}, y, [norm, mask, d](Backward<T>& back) {
    const Sink<T> to_x = back.optional_sink(0), to_branch = back.optional_sink(1);
    backward(back, norm, 2, [&](Index i, const T* ds) {
      to_x.write_row(i, [ds](Index j) { return ds[j]; });
      mask.visit([&](const auto& drop) {
        to_branch.write_row(i, [drop, ds, at = i * d](Index j) { return drop(at + j, ds[j]); });
      });
    });
  });
  return c.with_rounded(result, rounded);
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
