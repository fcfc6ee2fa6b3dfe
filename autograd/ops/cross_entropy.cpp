#include "autograd/ops/row_losses.h"

namespace glossa {

// Row loss: lse - (1 - s) x_t - s mean(x) with lse = log sum(e^x); dx_j = dy (e^(x_j - lse) - (1 - s) [j = t] - s / V).
template <class T>
CrossEntropy<T> cross_entropy(const Variable<T>& logits, std::span<const int> targets, int ignore_index,
                              double label_smoothing) {
  const char* const op = "cross_entropy";
  const LossOptions o{ignore_index, label_smoothing};
  Context<T>& c = context_of(op, {logits});
  const Tensor<const T> x = c.read(logits);
  check(x.shape.rank() == 2 && x.rows() == std::ssize(targets), op,
        "expected logits [N, V] and N targets; got {} and {}", x.shape, targets.size());
  check_targets(op, x.shape, targets, o);
  // Probabilities are never stored; the derivative recomputes them from x and lse.
  const std::span<kernels::LogSumExp<T>> lse = c.template array<kernels::LogSumExp<T>>(x.rows());
  const std::span<kernels::RowLoss> losses = c.template array<kernels::RowLoss>(x.rows());
  const std::span<const int> target = c.keep(targets);
  compute_losses(losses, target, o, x, lse.data());
  const Tensor<T> y = c.tensor({});
  CrossEntropy<T> result = add_up(losses, targets, o, y[0]);

  result.sum = c.record(op, {logits}, y, [x, lse, target, o](Backward<T>& back) {
    const Sink<T> to = back.sink(0);
    const T dy = back.dy()[0], smoothing = static_cast<T>(o.smoothing);
    kernels::for_each_row(x, [&](Index i) {
      if (target[i] != o.ignore_index)
        kernels::cross_entropy_row_backward(x.cols(), x.row(i), lse[i], target[i], smoothing, dy, to.grad.row(i),
                                            to.add);
      else
        to.write_row(i, [](Index) { return T{0}; });
    });
  });
  return result;
}

#define GLOSSA_INSTANTIATE(T) \
  template CrossEntropy<T> cross_entropy(const Variable<T>&, std::span<const int>, int, double);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
