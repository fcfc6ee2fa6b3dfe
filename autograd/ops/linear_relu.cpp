#include "autograd/ops.h"
#include "autograd/ops/dropout_mask.h"
#include "autograd/ops/linear_product.h"

namespace glossa {

namespace {

template <class T>
Variable<T> linear_relu_op(const Variable<T>& x, const Variable<T>& weight, const Variable<T>* bias, double p,
                           const RowLayout& layout) {
  const char* const op = "linear_relu";
  Context<T>& c = context_of(op, {x, weight});
  const Tensor<const T> in = c.read(x), w = c.read(weight);
  check_layout(op, layout, in.shape);
  check(w.shape.rank() == 2 && in.cols() == w.cols(), op, "expected x [N, I] and weight [O, I]; got {} and {}",
        in.shape, w.shape);
  if (bias) context_of(op, {x, *bias});
  const Tensor<const T> b = bias ? c.read(*bias) : Tensor<const T>{};
  check(!bias || b.shape == Shape{w.rows()}, op, "expected bias [O] for weight {}; got {}", w.shape, b.shape);
  const Index rows = in.rows(), outputs = w.rows();
  const Tensor<T> y = c.tensor({rows, outputs});
  const Arena::Mark scratch = c.scratch_mark();
  const DropoutMask<T> mask = draw_mask(op, c, y.shape, p, layout, /*in_scratch=*/true);
  const LinearFactors<T> factors(c, x, w);
  // Bias, relu and dropout in place, tile by tile. The derivative needs only y: dropout kept the positive elements, and
  // zeros have no gradient.
  kernels::gemm_then<T>(rows, outputs, w.cols(), factors.x, factors.weight, y.data, outputs, c.precision(),
                        [&](const kernels::TileRange& tile) {
                          for (Index i = tile.first_row; i < tile.last_row; ++i) {
                            T* const row = y.row(i);
                            const auto relu = [](T z) { return z < T{0} ? T{0} : z; };  // NaN stays NaN
#pragma omp simd
                            for (Index j = tile.first_col; j < tile.last_col; ++j)
                              row[j] = relu(b.data ? row[j] + b[j] : row[j]);
                            if (mask)
#pragma omp simd
                              for (Index j = tile.first_col; j < tile.last_col; ++j)
                                row[j] = mask(i * outputs + j, row[j]);
                          }
                        });
  c.add_branches(y.size(), [&](Index i) { return y[i] > T{0}; });

  const auto derivative = [left = factors.x, w, y, factor = mask.factor](Backward<T>& back) {
    // dz = dy factor where y > 0, written over dy; then the linear layer's own derivative.
    const Tensor<T> dz = back.take_dy();
    kernels::map(dz, [&](Index i) {
      const T g = dz[i] * factor;
      return y[i] > T{0} ? g : T{0};
    });
    linear_gradients<T>(back, dz, left, w);
  };
  return bias ? c.record(op, {x, weight, *bias}, y, derivative) : c.record(op, {x, weight}, y, derivative);
}

}  // namespace

template <class T>
Variable<T> linear_relu(const Variable<T>& x, const Variable<T>& weight, const Variable<T>& bias, double p,
                        const RowLayout& layout) {
  return linear_relu_op(x, weight, &bias, p, layout);
}

template <class T>
Variable<T> linear_relu(const Variable<T>& x, const Variable<T>& weight, double p, const RowLayout& layout) {
  return linear_relu_op<T>(x, weight, nullptr, p, layout);
}

#define GLOSSA_INSTANTIATE(T)                                                                          \
  template Variable<T> linear_relu(const Variable<T>&, const Variable<T>&, const Variable<T>&, double, \
                                   const RowLayout&);                                                  \
  template Variable<T> linear_relu(const Variable<T>&, const Variable<T>&, double, const RowLayout&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
