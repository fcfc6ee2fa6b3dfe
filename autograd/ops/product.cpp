#include "autograd/kernels/gemm.h"
#include "autograd/ops.h"
#include "autograd/ops/linear_product.h"

namespace glossa {

namespace {

using kernels::gemm;

/// A stack of matrices for the batched product.
struct Stack {
  Index count0, count1, rows, cols;

  explicit Stack(const Shape& shape) : count0(extents4(shape)[0]), count1(extents4(shape)[1]) {
    rows = extents4(shape)[2];
    cols = extents4(shape)[3];
  }

  /// Offset of matrix (i, j) of the broadcast stack. Axes of extent 1 repeat.
  Index offset(Index i, Index j) const {
    return ((count0 == 1 ? 0 : i) * count1 + (count1 == 1 ? 0 : j)) * rows * cols;
  }
};

/// c (+)= a b, with a and b transposed if requested, summed over the batch axes that `c` lacks. Unless `add`, the first
/// product for each matrix of c assigns.
template <class T>
void stacked_gemm(Stack batch, const Tensor<const T>& a, bool transpose_a, const Tensor<const T>& b, bool transpose_b,
                  const Tensor<T>& c, bool add, Precision precision) {
  const Stack sa(a.shape), sb(b.shape), sc(c.shape);
  const Index k = transpose_a ? sa.rows : sa.cols;
  for (Index i = 0; i < batch.count0; ++i)
    for (Index j = 0; j < batch.count1; ++j) {
      const bool first = (sc.count0 > 1 || i == 0) && (sc.count1 > 1 || j == 0);
      gemm<T>(sc.rows, sc.cols, k, {a.data + sa.offset(i, j), sa.cols, transpose_a},
              {b.data + sb.offset(i, j), sb.cols, transpose_b}, first && !add ? T{0} : T{1},
              {c.data + sc.offset(i, j), sc.cols}, precision);
    }
}

/// Checks that both operands have the same extent of the summed axis.
void check_inner(const Shape& a, const Shape& b, bool transpose_a, bool transpose_b) {
  const auto inner = [](const Shape& x, bool last) { return x[last || x.rank() == 1 ? -1 : -2]; };
  check(a.rank() > 0 && b.rank() > 0 && inner(a, !transpose_a) == inner(b, transpose_b), "matmul",
        "expected [..., M, K] and [..., K, N] after transposes ({}, {}), or vectors [K]; got {} and {}", transpose_a,
        transpose_b, a, b);
}

}  // namespace

template <class T>
Variable<T> matmul(const Variable<T>& a, const Variable<T>& b, bool transpose_a, bool transpose_b) {
  Context<T>& c = context_of("matmul", {a, b});
  check_inner(a.shape(), b.shape(), transpose_a, transpose_b);
  if (b.shape().rank() == 1) {
    const Variable<T> y = matmul(a, reshape(b, {b.size(), 1}), transpose_a, false);
    return reshape(y, y.shape().without(-1));
  }
  if (a.shape().rank() == 1) {
    const Variable<T> y = matmul(reshape(a, {1, a.size()}), b, false, transpose_b);
    return reshape(y, y.shape().without(-2));
  }
  const Tensor<const T> x = c.read(a), z = c.read(b);
  const Index m = x.shape[transpose_a ? -1 : -2], n = z.shape[transpose_b ? -2 : -1];
  // With matrix axes set to 1, the shapes broadcast as usual.
  const Shape batch = broadcast(x.shape.with(-1, 1).with(-2, 1), z.shape.with(-1, 1).with(-2, 1), "matmul");
  const Tensor<T> y = c.tensor(batch.with(-2, m).with(-1, n));
  const Stack walk(y.shape);
  stacked_gemm(walk, x, transpose_a, z, transpose_b, y, false, c.precision());

  return c.record("matmul", {a, b}, y, [walk, x, z, transpose_a, transpose_b](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    // Y = A B: dA = dY B^T, dB = A^T dY. Y = A^T B: dA = B dY^T. Y = A B^T: dB = dY^T A.
    const auto write = [&](int input, const Tensor<const T>& left, bool tl, const Tensor<const T>& right, bool tr) {
      const Sink<T> to = back.optional_sink(input);
      if (!to) return;
      if (dy.size() == 0) to.zeroed();  // no product writes the gradient
      stacked_gemm(walk, left, tl, right, tr, to.grad, to.add, back.precision());
    };
    if (transpose_a)
      write(0, z, transpose_b, dy, true);
    else
      write(0, dy, false, z, !transpose_b);
    if (transpose_b)
      write(1, dy, true, x, transpose_a);
    else
      write(1, x, !transpose_a, dy, false);
  });
}

template <class T>
Variable<T> linear(const Variable<T>& x, const Variable<T>& weight, const OptionalVariable<T>& bias, Use use) {
  const char* const op = "linear";
  Context<T>& c = context_of<T>(op, {x, weight, bias});
  const Tensor<const T> w = c.read_matrix(weight);
  const Shape& in = x.shape();
  check(w.shape.rank() == 2 && in.rank() >= 1 && in.cols() == w.cols(), op,
        "expected x [..., I] and weight [O, I]; got {} and {}", in, w.shape);
  const kernels::AddBias<T> add_bias{read_bias(c, op, bias, w.shape)};
  const Index rows = in.rows(), outputs = w.rows();
  const kernels::Factor<T> left = c.factor(x);

  /// Computes Y = X W^T + b into `to`, and records it as y.
  const auto compute = [&](const auto& y, const kernels::Result<T>& to) {
    const Arena::Mark scratch = c.scratch_mark();
    kernels::gemm_then<T>(rows, outputs, w.cols(), left, transposed_weight(c, rows, weight), to, c.precision(),
                          add_bias);

    return c.record(op, {x, weight, bias}, y, [left, w](Backward<T>& back) {
      // dX = dY W, dW = dY^T X, db = the sum of the rows of dY.
      linear_gradients(back, back.factor(back.dy()), left, w);
    });
  };
  const Shape shape = in.with(-1, outputs);
  if (use == Use::products && c.rounds({x, weight, bias})) {
    const Tensor<Bf16> y = c.bf16_tensor(shape);
    return compute(y, {nullptr, outputs, y.data});
  }
  const Tensor<T> y = c.tensor(shape);
  return c.unread(compute(y, {y.data, outputs}));
}

#define GLOSSA_INSTANTIATE(T)                                                      \
  template Variable<T> matmul(const Variable<T>&, const Variable<T>&, bool, bool); \
  template Variable<T> linear(const Variable<T>&, const Variable<T>&, const OptionalVariable<T>&, Use);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
