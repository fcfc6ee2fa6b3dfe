#include "autograd/ops.h"
#include "autograd/ops/dropout_mask.h"
#include "autograd/ops/linear_product.h"

namespace glossa {

namespace {

/// Applies bias, relu and dropout in place to a tile of the product.
template <class T>
struct FinishRelu {
  Tensor<const T> bias;
  DropoutMask<T> mask;
  Index outputs;

  void operator()(const kernels::Tile<T>& tile) const {
    const auto relu = [](T z) { return z < T{0} ? T{0} : z; };  // keeps NaN
    const T* const added = bias.data ? bias.data + tile.first_col : nullptr;
    for (Index i = tile.first_row; i < tile.last_row; ++i) {
      T* const row = tile.row(i);
      const Index cols = tile.cols(), at = i * outputs + tile.first_col;
#pragma omp simd
      for (Index j = 0; j < cols; ++j) row[j] = relu(added ? row[j] + added[j] : row[j]);
      if (mask) kernels::assign_row(cols, row, [m = mask, row, at](Index j) { return m(at + j, row[j]); });
    }
  }
};

}  // namespace

template <class T>
Variable<T> linear_relu(const Variable<T>& x, const Variable<T>& weight, const OptionalVariable<T>& bias, double p,
                        const RowLayout& layout) {
  const char* const op = "linear_relu";
  Context<T>& c = context_of<T>(op, {x, weight, bias});
  const Tensor<const T> w = c.read_matrix(weight);
  const Shape& in = x.shape();
  check_layout(op, layout, in);
  check(w.shape.rank() == 2 && in.cols() == w.cols(), op, "expected x [N, I] and weight [O, I]; got {} and {}", in,
        w.shape);
  const Tensor<const T> b = read_bias(c, op, bias, w.shape);
  const Index rows = in.rows(), outputs = w.rows();
  const Shape shape{rows, outputs};
  const kernels::Factor<T> left = c.factor(x);

  /// Computes dropout(relu(Z)) with Z = X W^T + b into `to`, and records it as y. positive(i) is true if y[i] > 0.
  const auto compute = [&](const auto& y, const kernels::Result<T>& to, const auto& positive) {
    const Arena::Mark scratch = c.scratch_mark();
    const DropoutMask<T> mask = draw_mask(op, c, shape, p, layout, /*in_scratch=*/true);
    kernels::gemm_then<T>(rows, outputs, w.cols(), left, transposed_weight(c, rows, weight), to, c.precision(),
                          FinishRelu<T>{b, mask, outputs});
    c.add_branches(y.size(), positive);

    return c.record(op, {x, weight, bias}, y, [left, w, factor = mask.factor, positive](Backward<T>& back) {
      // dz = dy factor where y > 0, else 0: dropout keeps these elements. In bf16, dz exists only in bf16; otherwise it
      // overwrites dy.
      const auto dz = [&, dy = back.dy()](Index i) {
        const T g = dy[i] * factor;
        return positive(i) ? g : T{0};
      };
      if (back.precision() == Precision::bf16)
        return linear_gradients<T>(back, back.factor(back.dy().shape, dz), left, w);
      const Tensor<T> over = back.take_dy();
      kernels::map(over, dz);
      linear_gradients<T>(back, {.data = over.data, .stride = over.cols()}, left, w);
    });
  };
  if (c.rounds({x, weight, bias})) {
    const Tensor<Bf16> y = c.bf16_tensor(shape);
    return compute(y, {nullptr, outputs, y.data}, [y](Index i) { return y[i].widened() > 0; });
  }
  const Tensor<T> y = c.tensor(shape);
  return compute(y, {y.data, outputs}, [y](Index i) { return y[i] > T{0}; });
}

#define GLOSSA_INSTANTIATE(T)                                                                                  \
  template Variable<T> linear_relu(const Variable<T>&, const Variable<T>&, const OptionalVariable<T>&, double, \
                                   const RowLayout&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
