#include "autograd/kernels/layer_norm.h"

#include "autograd/kernels/bf16/round.h"
#include "autograd/ops.h"
#include "autograd/ops/dropout_mask.h"
#include "autograd/ops/rounded_rows.h"

namespace glossa {

namespace {

using kernels::About;
using kernels::RowMoments;

constexpr Index rows_per_piece = 64;  // rows that a thread normalizes at a time
constexpr Index pieces(Index rows) { return (rows + rows_per_piece - 1) / rows_per_piece; }

/// A norm's state for its derivative.
template <class T>
struct Saved {
  About about;
  Tensor<const T> x;  // the normalized input; if it has no data, `normalized` replaces it
  std::span<RowMoments<T>> moments;
  const T* gain = nullptr;
  Bf16* normalized = nullptr;  // (x - mean) / sqrt(variance + epsilon), in bf16

  /// Derivative of row i; norm_row_backward has the formulas.
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

/// Checks gain and bias; `bias` is null for norms without it.
template <class T>
void check_affine(const char* op, const Shape& x, const Variable<T>& gain, const Variable<T>* bias) {
  const bool fits = x.rank() >= 1 && gain.shape() == Shape{x.cols()};
  if (bias)
    check(fits && bias->shape() == gain.shape(), op, "expected x [..., D], gain [D] and bias [D]; got {}, {} and {}", x,
          gain.shape(), bias->shape());
  else
    check(fits, op, "expected x [..., D] and gain [D]; got {} and {}", x, gain.shape());
}

void check_epsilon(const char* op, double epsilon) {
  check(epsilon >= 0, op, "expected epsilon >= 0; got {}", epsilon);
}

/// sum [D] += each row of `pieces` [.., D], in order.
template <class T>
void add_rows(const Tensor<T>& sum, const Tensor<T>& pieces) {
  for (Index p = 0; p < pieces.rows(); ++p)
    kernels::write(sum.data, 0, sum.size(), true, [row = pieces.row(p)](Index j) { return row[j]; });
}

/// Derivative of all forms, row by row. Inputs gain_input and gain_input + 1 are gain and bias, if present. write(i,
/// dx) receives the gradient of row i of the normalized input.
template <class T, class Write>
void backward(Backward<T>& back, const Saved<T>& saved, int gain_input, const Write& write) {
  const Tensor<const T> dy = back.dy();
  const Index d = saved.x.cols(), rows = saved.x.rows(), count = pieces(rows);
  const Sink<T> to_gain = back.optional_sink(gain_input);
  const Sink<T> to_bias = back.optional_sink(gain_input + 1);
  // Makes one pass over x and dy. Each piece of rows has its own sums for gain and bias, which are then added in order.
  const Tensor<T> dgain = to_gain ? back.scratch({count, d}) : Tensor<T>{};
  const Tensor<T> dbias = to_bias ? back.scratch({count, d}) : Tensor<T>{};
  const Tensor<T> dx = back.scratch({count, d});  // one row per piece
  parallel_for(count, [&](Index piece) {
    T* const gain_sums = to_gain ? dgain.row(piece) : nullptr;
    T* const bias_sums = to_bias ? dbias.row(piece) : nullptr;
    if (gain_sums) std::fill_n(gain_sums, d, T{0});
    if (bias_sums) std::fill_n(bias_sums, d, T{0});
    const Index end = std::min(rows, (piece + 1) * rows_per_piece);
    for (Index i = piece * rows_per_piece; i < end; ++i) {
      saved.row_backward(i, dy.row(i), gain_sums, bias_sums, dx.row(piece));
      write(i, dx.row(piece));
    }
  });
  if (to_gain) add_rows(to_gain.zeroed(), dgain);
  if (to_bias) add_rows(to_bias.zeroed(), dbias);
}

template <class T>
const T* numbers_of(Context<T>& c, const Variable<T>* x) {
  return x ? c.read(*x).data : nullptr;
}

/// The norm of x. `gain` and `bias` may be null; a null gain requires a null bias.
template <class T>
Variable<T> norm_op(const char* op, About about, const Variable<T>& x, const Variable<T>* gain, const Variable<T>* bias,
                    double epsilon, Use use) {
  Context<T>& c = context_of(op, {x});
  check_epsilon(op, epsilon);
  const Tensor<const T> in = c.read(x);
  if (gain) {
    context_of(op, {x, *gain, bias ? *bias : *gain});
    check_affine(op, in.shape, *gain, bias);
  }
  const T *const g = numbers_of(c, gain), *const b = numbers_of(c, bias);
  const Index d = in.cols(), rows = in.rows();
  const Saved<T> saved{about, in, c.template array<RowMoments<T>>(rows), g};
  /// Normalizes row i into `y`.
  const auto normalize = [&](Index i, T* y) {
    saved.moments[i] = kernels::norm_row(about, d, in.row(i), g, b, static_cast<T>(epsilon), y);
  };
  const auto derivative = [saved](Backward<T>& back) {
    const Sink<T> to_x = back.optional_sink(0);
    backward(back, saved, 1, [&](Index i, const T* dx) { to_x.write_row(i, [dx](Index j) { return dx[j]; }); });
  };
  const auto record = [&](const auto& y) {
    if (bias) return c.record(op, {x, *gain, *bias}, y, derivative);
    return gain ? c.record(op, {x, *gain}, y, derivative) : c.record(op, {x}, y, derivative);
  };
  const bool rounds = c.rounds({x}) || (gain && c.rounds({*gain})) || (bias && c.rounds({*bias}));
  if (use == Use::products && rounds) {
    const Tensor<Bf16> y = c.bf16_tensor(in.shape);
    fill_rounded_rows(c, y, normalize);
    return record(y);
  }
  const Tensor<T> y = c.tensor(in.shape);
  parallel_ranges(rows, rows_per_piece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) normalize(i, y.row(i));
  });
  return record(y);
}

/// The norm of x + dropout(branch). `bias` may be null.
template <class T>
Variable<T> add_norm_op(const char* op, About about, const Variable<T>& x, const Variable<T>& branch, double p,
                        const RowLayout& layout, const Variable<T>& gain, const Variable<T>* bias, double epsilon) {
  Context<T>& c = context_of(op, {x, branch, gain, bias ? *bias : gain});
  check_epsilon(op, epsilon);
  check(x.shape() == branch.shape(), op, "expected x and branch of equal shape; got {} and {}", x.shape(),
        branch.shape());
  check_layout(op, layout, x.shape());
  check_affine(op, x.shape(), gain, bias);
  const Tensor<const T> a = c.read(x);
  const T *const g = numbers_of(c, &gain), *const b = numbers_of(c, bias);
  const DropoutMask<T> mask = draw_mask(op, c, a.shape, p, layout);
  const auto taken = c.take(branch);  // only after all checks
  const Tensor<const T> r = taken.from;
  const Index d = a.cols(), rows = a.rows();
  const auto moments = c.template array<RowMoments<T>>(rows);
  /// sum = x + dropout(branch) for row i.
  const auto add_row = [&](Index i, T* sum) {
    const T *x_row = a.row(i), *branch_row = r.row(i);
    if (mask)
      kernels::write(sum, 0, d, false, [&](Index j) { return x_row[j] + mask(i * d + j, branch_row[j]); });
    else
      kernels::write(sum, 0, d, false, [&](Index j) { return x_row[j] + branch_row[j]; });
  };
  const auto record = [&](const Tensor<T>& y, const Saved<T>& saved) {
    const auto derivative = [saved, mask, d](Backward<T>& back) {
      const Sink<T> to_x = back.optional_sink(0), to_branch = back.optional_sink(1);
      backward(back, saved, 2, [&](Index i, const T* ds) {
        to_x.write_row(i, [ds](Index j) { return ds[j]; });
        if (mask)
          to_branch.write_row(i, [mask, ds, at = i * d](Index j) { return mask(at + j, ds[j]); });
        else
          to_branch.write_row(i, [ds](Index j) { return ds[j]; });
      });
    };
    return bias ? c.record(op, {x, branch, gain, *bias}, y, derivative)
                : c.record(op, {x, branch, gain}, y, derivative);
  };
  if (c.rounds({x, branch, gain}) || (bias && c.rounds({*bias}))) {
    // The derivative reads the normalized row, in bf16, but not the sum. y can therefore reuse the branch's memory.
    const Tensor<T> y = taken.to;
    const Saved<T> saved{about, {nullptr, a.shape}, moments, g, c.bf16_tensor(a.shape).data};
    const Tensor<Bf16> rounded = c.bf16_tensor(a.shape);
    const Arena::Mark mark = c.scratch_mark();
    const Tensor<T> sums = c.scratch({pieces(rows), d});
    parallel_ranges(rows, rows_per_piece, [&](Index begin, Index end) {
      T* const sum = sums.row(begin / rows_per_piece);
      for (Index i = begin; i < end; ++i) {
        add_row(i, sum);
        const auto [mean, inverse] = moments[i] = kernels::row_moments(about, d, sum, static_cast<T>(epsilon));
        kernels::write(sum, 0, d, false,
                       [&, mean = mean, inverse = inverse](Index j) { return (sum[j] - mean) * inverse; });
        kernels::bf16::round_row(d, sum, saved.normalized + i * d);
        const auto normalized = [sum](Index j) { return sum[j]; };
        kernels::affine_row(d, normalized, g, b, y.row(i));
        kernels::bf16::round_row(d, y.row(i), rounded.row(i));
      }
    });
    return c.with_rounded(record(y, saved), rounded.data);
  }
  const Tensor<T> sum = taken.to, y = c.tensor(a.shape);
  parallel_ranges(rows, rows_per_piece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      add_row(i, sum.row(i));
      moments[i] = kernels::norm_row(about, d, sum.row(i), g, b, static_cast<T>(epsilon), y.row(i));
    }
  });
  return record(y, {about, sum, moments, g});
}

}  // namespace

template <class T>
Variable<T> layer_norm(const Variable<T>& x, const Variable<T>& gain, const Variable<T>& bias, double epsilon,
                       Use use) {
  return norm_op("layer_norm", About::mean, x, &gain, &bias, epsilon, use);
}

template <class T>
Variable<T> layer_norm(const Variable<T>& x, double epsilon) {
  return norm_op<T>("layer_norm", About::mean, x, nullptr, nullptr, epsilon, Use::any);
}

template <class T>
Variable<T> rms_norm(const Variable<T>& x, const Variable<T>& gain, double epsilon, Use use) {
  return norm_op<T>("rms_norm", About::zero, x, &gain, nullptr, epsilon, use);
}

template <class T>
Variable<T> rms_norm(const Variable<T>& x, double epsilon) {
  return norm_op<T>("rms_norm", About::zero, x, nullptr, nullptr, epsilon, Use::any);
}

template <class T>
Variable<T> add_layer_norm(const Variable<T>& x, const Variable<T>& branch, double p, const RowLayout& layout,
                           const Variable<T>& gain, const Variable<T>& bias, double epsilon) {
  return add_norm_op("add_layer_norm", About::mean, x, branch, p, layout, gain, &bias, epsilon);
}

template <class T>
Variable<T> add_rms_norm(const Variable<T>& x, const Variable<T>& branch, double p, const RowLayout& layout,
                         const Variable<T>& gain, double epsilon) {
  return add_norm_op<T>("add_rms_norm", About::zero, x, branch, p, layout, gain, nullptr, epsilon);
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
