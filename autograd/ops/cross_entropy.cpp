#include "autograd/kernels/cross_entropy.h"

#include <algorithm>

#include "autograd/kernels/gemm.h"
#include "autograd/kernels/rowwise.h"
#include "autograd/ops.h"

namespace glossa {

namespace {

using kernels::LogSumExp;
using kernels::RowLoss;

constexpr Index grain = 8;  // rows of a whole vocabulary are long: few make a piece

void check_targets(const char* op, const Shape& logits, std::span<const int> targets, int ignore_index,
                   double smoothing) {
  check(smoothing >= 0 && smoothing <= 1, op, "expected label smoothing in [0, 1]; got {}", smoothing);
  for (std::size_t i = 0; i < targets.size(); ++i)
    check(targets[i] == ignore_index || (targets[i] >= 0 && targets[i] < logits[-1]), op,
          "expected targets in [0, {}) or {} (ignored) for logits {}; got {} in row {}", logits[-1], ignore_index,
          logits, targets[i], i);
}

/// The loss without its variable: sums over the rows, in order.
template <class T>
CrossEntropy<T> add_up(std::span<const RowLoss> rows, std::span<const int> targets, int ignore_index, T& sum) {
  CrossEntropy<T> result;
  double loss = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    loss += rows[i].loss;
    result.nll_sum += rows[i].nll;
    result.count += targets[i] != ignore_index;
  }
  sum = static_cast<T>(loss);
  return result;
}

}  // namespace

template <class T>
CrossEntropy<T> cross_entropy(const Variable<T>& logits, std::span<const int> targets, int ignore_index,
                              double label_smoothing) {
  const char* const op = "cross_entropy";
  Context<T>& c = context_of(op, {logits});
  const Tensor<const T> x = c.read(logits);
  check(x.shape.rank() == 2 && x.rows() == std::ssize(targets), op,
        "expected logits [N, V] and N targets; got {} and {}", x.shape, targets.size());
  check_targets(op, x.shape, targets, ignore_index, label_smoothing);
  const Index rows = x.rows(), classes = x.cols();
  // Probabilities are never stored: the derivative makes them again from x and lse.
  const std::span<LogSumExp<T>> lse = c.template array<LogSumExp<T>>(rows);
  const std::span<RowLoss> losses = c.template array<RowLoss>(rows);
  const std::span<const int> target = c.keep(targets);
  parallel_ranges(rows, grain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      losses[i] = {};
      if (target[i] == ignore_index) continue;
      lse[i] = kernels::log_sum_exp(classes, x.row(i));
      losses[i] = kernels::cross_entropy_row(classes, x.row(i), lse[i], target[i], label_smoothing);
    }
  });
  const Tensor<T> y = c.tensor({});
  CrossEntropy<T> result = add_up(losses, targets, ignore_index, y[0]);

  const T smoothing = static_cast<T>(label_smoothing);
  result.sum = c.record(op, {logits}, y, [x, lse, target, ignore_index, smoothing](Backward<T>& back) {
    const Sink<T> to = back.sink(0);
    const T dy = back.dy()[0];
    parallel_ranges(x.rows(), grain, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        if (target[i] != ignore_index)
          kernels::cross_entropy_row_backward(x.cols(), x.row(i), lse[i], target[i], smoothing, dy, to.grad.row(i),
                                              to.add);
        else if (!to.add)
          std::fill_n(to.grad.row(i), x.cols(), T{0});
    });
  });
  return result;
}

namespace {

/// Rows whose logits are in memory at a time: few enough to stay in the cache, enough for products near their peak.
constexpr Index chunk_rows = 256;

template <class T>
CrossEntropy<T> linear_cross_entropy_op(const Variable<T>& x, const Variable<T>& weight, const Variable<T>* bias,
                                        std::span<const int> targets, int ignore_index, double label_smoothing) {
  const char* const op = "linear_cross_entropy";
  Context<T>& c = context_of(op, {x, weight});
  const Tensor<const T> in = c.read(x), w = c.read(weight);
  check(in.shape.rank() == 2 && w.shape.rank() == 2 && in.cols() == w.cols() && in.rows() == std::ssize(targets), op,
        "expected x [N, D], weight [V, D] and N targets; got {}, {} and {}", in.shape, w.shape, targets.size());
  if (bias) context_of(op, {x, *bias});
  const Tensor<const T> b = bias ? c.read(*bias) : Tensor<const T>{};
  check(!bias || b.shape == Shape{w.rows()}, op, "expected bias [V] for weight {}; got {}", w.shape, b.shape);
  const Index rows = in.rows(), width = in.cols(), classes = w.rows();
  check_targets(op, {rows, classes}, targets, ignore_index, label_smoothing);
  const std::span<RowLoss> losses = c.template array<RowLoss>(rows);

  // The derivative of a sum is known as soon as its terms are. So that no more logits than a chunk's are ever in
  // memory, and are touched while they are near, the gradients for dy = 1 are computed here: G = softmax - targets
  // written over the logits, dX = G W, dW = sum over chunks of G^T X, db = column sums of G.
  const bool has_dx = x.requires_grad(), has_dw = weight.requires_grad(), has_db = bias && bias->requires_grad();
  const bool has_gradient = has_dx || has_dw || has_db;
  const Tensor<T> dx = has_dx ? c.tensor(in.shape) : Tensor<T>{}, dw = has_dw ? c.tensor(w.shape) : Tensor<T>{},
                  db = has_db ? c.tensor(b.shape) : Tensor<T>{};
  const Index chunk = std::min(rows, chunk_rows);
  const Arena::Mark mark = c.scratch_mark();
  const Tensor<T> memory = c.scratch({chunk, classes});
  const Tensor<T> partial = has_db ? c.scratch({kernels::row_pieces(chunk), classes}) : Tensor<T>{};
  for (Index first = 0; first == 0 || first < rows; first += chunk_rows) {  // once for no rows: gradients of zeros
    const Tensor<T> logits{memory.data, {std::min(chunk, rows - first), classes}};
    const kernels::Factor<T> states{in.row(first), width}, table{w.data, width, true};
    if (bias)
      kernels::gemm_then<T>(logits.rows(), classes, width, states, table, logits.data, classes,
                            kernels::AddBias<T>{logits, b});
    else
      kernels::gemm<T>(logits.rows(), classes, width, states, table, T{0}, logits.data, classes);
    parallel_ranges(logits.rows(), grain, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        T* const row = logits.row(i);
        const int target = targets[first + i];
        losses[first + i] = {};
        if (target == ignore_index) {
          std::fill_n(row, classes, T{0});
          continue;
        }
        losses[first + i] = has_gradient ? kernels::cross_entropy_row_in_place(classes, row, target, label_smoothing)
                                         : kernels::cross_entropy_row(classes, row, kernels::log_sum_exp(classes, row),
                                                                      target, label_smoothing);
      }
    });
    const T beta = first == 0 ? T{0} : T{1};
    if (has_dx)
      kernels::gemm<T>(logits.rows(), width, classes, {logits.data, classes}, {w.data, width}, T{0}, dx.row(first),
                       width);
    if (has_dw)
      kernels::gemm<T>(classes, width, logits.rows(), {logits.data, classes, true}, {in.row(first), width}, beta,
                       dw.data, width);
    if (has_db) kernels::column_sums<T>(db, logits, first > 0, partial);
  }
  const Tensor<T> y = c.tensor({});
  CrossEntropy<T> result = add_up(losses, targets, ignore_index, y[0]);

  const auto derivative = [dx, dw, db](Backward<T>& back) {
    const T dy = back.dy()[0];
    const auto scaled = [&](int input, const Tensor<T>& gradient) {
      if (!back.has(input) || !back.needs(input)) return;
      const Sink<T> to = back.sink(input);
      kernels::accumulate(to.grad, to.add, [&](Index i) { return dy * gradient[i]; });
      back.give(gradient);
    };
    scaled(1, dw);  // the largest first: the gradient of x can lie there then
    scaled(0, dx);
    scaled(2, db);
  };
  result.sum = bias ? c.record(op, {x, weight, *bias}, y, derivative) : c.record(op, {x, weight}, y, derivative);
  return result;
}

}  // namespace

template <class T>
CrossEntropy<T> linear_cross_entropy(const Variable<T>& x, const Variable<T>& weight, const Variable<T>& bias,
                                     std::span<const int> targets, int ignore_index, double label_smoothing) {
  return linear_cross_entropy_op(x, weight, &bias, targets, ignore_index, label_smoothing);
}

template <class T>
CrossEntropy<T> linear_cross_entropy(const Variable<T>& x, const Variable<T>& weight, std::span<const int> targets,
                                     int ignore_index, double label_smoothing) {
  return linear_cross_entropy_op<T>(x, weight, nullptr, targets, ignore_index, label_smoothing);
}

#define GLOSSA_INSTANTIATE(T)                                                                                      \
  template CrossEntropy<T> cross_entropy(const Variable<T>&, std::span<const int>, int, double);                   \
  template CrossEntropy<T> linear_cross_entropy(const Variable<T>&, const Variable<T>&, std::span<const int>, int, \
                                                double);                                                           \
  template CrossEntropy<T> linear_cross_entropy(const Variable<T>&, const Variable<T>&, const Variable<T>&,        \
                                                std::span<const int>, int, double);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)

}  // namespace glossa
