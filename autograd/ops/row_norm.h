#pragma once

#include "autograd/kernels/layer_norm.h"
#include "autograd/ops.h"

/// Code that layer_norm.cpp and add_norm.cpp share. kernels/layer_norm.h computes one row.
namespace glossa {

/// A norm of rows, and its state for the derivative.
template <class T>
struct RowNorm {
  kernels::About about;
  Index cols;
  T epsilon;
  const T *gain, *bias;  // null: 1 and 0
  std::span<kernels::RowMoments<T>> moments;

  /// y = n gain + bias for row number i, which is x.
  void normalize(Index i, const T* x, T* y) const {
    moments[i] = kernels::norm_row(about, cols, x, gain, bias, epsilon, y);
  }
};

/// Makes the norm of an input of shape `x`. A missing gain requires a missing bias. Throws if their shapes or epsilon
/// are invalid.
template <class T>
RowNorm<T> make_norm(const char* op, Context<T>& c, kernels::About about, const Shape& x,
                     const OptionalVariable<T>& gain, const OptionalVariable<T>& bias, double epsilon) {
  check(epsilon >= 0, op, "expected epsilon >= 0; got {}", epsilon);
  const bool fits = !gain || (x.rank() >= 1 && gain->shape() == Shape{x.cols()});
  if (bias)
    check(fits && bias->shape() == gain->shape(), op, "expected x [..., D], gain [D] and bias [D]; got {}, {} and {}",
          x, gain->shape(), bias->shape());
  else if (!fits)
    fail(op, "expected x [..., D] and gain [D]; got {} and {}", x, gain->shape());
  const auto numbers = [&](const OptionalVariable<T>& input) { return input ? c.read(*input).data : nullptr; };
  return {about,         x.cols(),      static_cast<T>(epsilon),
          numbers(gain), numbers(bias), c.template array<kernels::RowMoments<T>>(x.rows())};
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

/// Derivative of all norms, in one pass over dy. n(i) returns the function j -> n_j of row i. Inputs gain_input and
/// gain_input + 1 are gain and bias. write(i, dx) receives the gradient of row i of the normalized input.
template <class T, class Normalized, class Write>
void norm_backward(Backward<T>& back, const RowNorm<T>& norm, int gain_input, const Normalized& n, const Write& write) {
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
      kernels::norm_row_backward<T>(norm.about, d, n(i), norm.moments[i].inverse_std, norm.gain, dy.row(i), gain_sum,
                                    bias_sum, dx.row(piece));
      write(i, dx.row(piece));
    }
  });
  dgain.finish();
  dbias.finish();
}

}  // namespace glossa
