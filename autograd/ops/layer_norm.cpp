#include "autograd/kernels/layer_norm.h"

#include "autograd/ops.h"
#include "autograd/ops/dropout_mask.h"

namespace glossa {

namespace {

using kernels::RowMoments;

constexpr Index rows_per_piece = 64;  // normalized by a thread at a time

/// A norm's state for its derivative.
template <class T>
struct Saved {
  Tensor<const T> x;  // the normalized input
  std::span<RowMoments<T>> moments;
  const T* gain = nullptr;
};

void check_affine(const char* op, const Shape& x, const Shape& gain, const Shape& bias) {
  check(x.rank() >= 1 && gain == Shape{x.cols()} && bias == gain, op,
        "expected x [..., D], gain [D] and bias [D]; got {}, {} and {}", x, gain, bias);
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

/// The derivative of all forms, row by row with kernels::layer_norm_row_backward, which documents the formula. Inputs
/// gain_input and gain_input + 1 are gain and bias, if any; write(i, dx) receives the gradient of the normalized
/// input's row i.
template <class T, class Write>
void backward(Backward<T>& back, const Saved<T>& saved, int gain_input, const Write& write) {
  const Tensor<const T> dy = back.dy();
  const Index d = saved.x.cols(), rows = saved.x.rows(), pieces = (rows + rows_per_piece - 1) / rows_per_piece;
  const Sink<T> to_gain = back.optional_sink(gain_input);
  const Sink<T> to_bias = back.optional_sink(gain_input + 1);
  // One pass over x and dy. Every piece of rows has its own sums for gain and bias; these are added in order.
  const Tensor<T> dgain = to_gain ? back.scratch({pieces, d}) : Tensor<T>{};
  const Tensor<T> dbias = to_bias ? back.scratch({pieces, d}) : Tensor<T>{};
  const Tensor<T> dx = back.scratch({pieces, d});  // a row at a time
  parallel_for(pieces, [&](Index piece) {
    T* const gain_sums = to_gain ? dgain.row(piece) : nullptr;
    T* const bias_sums = to_bias ? dbias.row(piece) : nullptr;
    if (gain_sums) std::fill_n(gain_sums, d, T{0});
    if (bias_sums) std::fill_n(bias_sums, d, T{0});
    const Index end = std::min(rows, (piece + 1) * rows_per_piece);
    for (Index i = piece * rows_per_piece; i < end; ++i) {
      kernels::layer_norm_row_backward(d, saved.x.row(i), saved.moments[i], saved.gain, dy.row(i), gain_sums, bias_sums,
                                       dx.row(piece));
      write(i, dx.row(piece));
    }
  });
  if (to_gain) add_rows(to_gain.zeroed(), dgain);
  if (to_bias) add_rows(to_bias.zeroed(), dbias);
}

template <class T>
Variable<T> layer_norm_op(const Variable<T>& x, const Variable<T>* gain, const Variable<T>* bias, double epsilon) {
  Context<T>& c = context_of("layer_norm", {x});
  check_epsilon("layer_norm", epsilon);
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  if (gain) {
    context_of("layer_norm", {x, *gain, *bias});
    check_affine("layer_norm", in.shape, gain->shape(), bias->shape());
  }
  const T* const g = gain ? c.read(*gain).data : nullptr;
  const T* const b = bias ? c.read(*bias).data : nullptr;
  const Saved<T> saved{in, c.template array<RowMoments<T>>(in.rows()), g};
  parallel_ranges(in.rows(), rows_per_piece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      saved.moments[i] = kernels::layer_norm_row(in.cols(), in.row(i), g, b, static_cast<T>(epsilon), y.row(i));
  });

  const auto derivative = [saved](Backward<T>& back) {
    const Sink<T> to_x = back.optional_sink(0);
    backward(back, saved, 1, [&](Index i, const T* dx) { to_x.write_row(i, [dx](Index j) { return dx[j]; }); });
  };
  return gain ? c.record("layer_norm", {x, *gain, *bias}, y, derivative) : c.record("layer_norm", {x}, y, derivative);
}

}  // namespace

template <class T>
Variable<T> layer_norm(const Variable<T>& x, const Variable<T>& gain, const Variable<T>& bias, double epsilon) {
  return layer_norm_op(x, &gain, &bias, epsilon);
}

template <class T>
Variable<T> layer_norm(const Variable<T>& x, double epsilon) {
  return layer_norm_op<T>(x, nullptr, nullptr, epsilon);
}

template <class T>
Variable<T> add_layer_norm(const Variable<T>& x, const Variable<T>& branch, double p, const RowLayout& layout,
                           const Variable<T>& gain, const Variable<T>& bias, double epsilon) {
  const char* const op = "add_layer_norm";
  Context<T>& c = context_of(op, {x, branch, gain, bias});
  check_epsilon(op, epsilon);
  check(x.shape() == branch.shape(), op, "expected x and branch of equal shape; got {} and {}", x.shape(),
        branch.shape());
  check_layout(op, layout, x.shape());
  check_affine(op, x.shape(), gain.shape(), bias.shape());
  const Tensor<const T> a = c.read(x), g = c.read(gain), b = c.read(bias);
  const DropoutMask<T> mask = draw_mask(op, c, a.shape, p, layout);
  const auto taken = c.take(branch);  // after all checks
  const Tensor<const T> r = taken.from;
  const Tensor<T> sum = taken.to;
  const Tensor<T> y = c.tensor(a.shape);
  const Index d = a.cols();
  const Saved<T> saved{sum, c.template array<RowMoments<T>>(a.rows()), g.data};
  parallel_ranges(a.rows(), rows_per_piece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const T *x_row = a.row(i), *branch_row = r.row(i);
      if (mask)
        kernels::write(sum.row(i), 0, d, false, [&](Index j) { return x_row[j] + mask(i * d + j, branch_row[j]); });
      else
        kernels::write(sum.row(i), 0, d, false, [&](Index j) { return x_row[j] + branch_row[j]; });
      saved.moments[i] = kernels::layer_norm_row(d, sum.row(i), g.data, b.data, static_cast<T>(epsilon), y.row(i));
    }
  });

  return c.record(op, {x, branch, gain, bias}, y, [saved, mask, d](Backward<T>& back) {
    const Sink<T> to_x = back.optional_sink(0), to_branch = back.optional_sink(1);
    backward(back, saved, 2, [&](Index i, const T* ds) {
      to_x.write_row(i, [ds](Index j) { return ds[j]; });
      if (mask)
        to_branch.write_row(i, [mask, ds, at = i * d](Index j) { return mask(at + j, ds[j]); });
      else
        to_branch.write_row(i, [ds](Index j) { return ds[j]; });
    });
  });
}

#define GLOSSA_INSTANTIATE(T)                                                                           \
  template Variable<T> layer_norm(const Variable<T>&, const Variable<T>&, const Variable<T>&, double);  \
  template Variable<T> layer_norm(const Variable<T>&, double);                                          \
  template Variable<T> add_layer_norm(const Variable<T>&, const Variable<T>&, double, const RowLayout&, \
                                      const Variable<T>&, const Variable<T>&, double);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
