#include "autograd/kernels/cross_entropy.h"

#include <algorithm>

#include "autograd/kernels/gemm.h"
#include "autograd/kernels/rowwise.h"
#include "autograd/ops.h"
#include "autograd/ops/linear_product.h"

namespace glossa {

namespace {

using kernels::LogSumExp;
using kernels::RowLoss;

constexpr Index grain = 8;  // rows per piece: few, because vocabulary rows are long

void check_targets(const char* op, const Shape& logits, std::span<const int> targets, int ignore_index,
                   double smoothing) {
  check(smoothing >= 0 && smoothing <= 1, op, "expected label smoothing in [0, 1]; got {}", smoothing);
  for (std::size_t i = 0; i < targets.size(); ++i)
    check(targets[i] == ignore_index || (targets[i] >= 0 && targets[i] < logits[-1]), op,
          "expected targets in [0, {}) or {} (ignored) for logits {}; got {} in row {}", logits[-1], ignore_index,
          logits, targets[i], i);
}

/// The numbers of the loss, without its variable: sums over the rows, in order.
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
  // Probabilities are never stored: the derivative recomputes them from x and lse.
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
        else
          to.write_row(i, [](Index) { return T{0}; });
    });
  });
  return result;
}

namespace {

/// Rows whose logits are in memory at the same time: few enough to stay in the cache, enough for near-peak matrix
/// products.
constexpr Index rows_per_chunk(Index classes, Precision precision) {
  constexpr Index many_logits = Index{1} << 23;  // 256 rows of a large vocabulary would be most of a step's memory
  return precision == Precision::bf16 && 256 * classes > many_logits ? 208 : 256;
}

/// From this number of rows on, a step in bf16 packs both forms of W once for all chunks. With fewer, packing in the
/// tiles costs little time, and no memory.
constexpr Index many_rows = 2048;

/// The factors of the three products of rows first, first + 1, ...: X [n, D] and W [V, D], or W^T.
template <class T>
struct ChunkFactors {
  kernels::Factor<T> x, weight, weight_transposed;
  Precision precision;

  ChunkFactors(Context<T>& c, const Variable<T>& states, const Variable<T>& matrix, const Tensor<const T>& w,
               bool derivative)
      : precision(c.precision()) {
    const Index rows = states.shape().rows(), d = w.cols(), classes = w.rows();
    x = c.factor(states);
    weight = {.data = w.data, .stride = d};
    weight_transposed = {.data = w.data, .stride = d, .transposed = true, .weight = c.in_int8(matrix)};
    if (rows < many_rows) return;
    const auto memory = [&](Index size) { return c.scratch({size}).data; };
    pack_if_shared(precision, rows, classes, d, weight_transposed, memory);
    if (derivative) pack_if_shared(precision, rows, d, classes, weight, memory);
  }
};

/// logits [n, V] = x W^T + b, for rows first, first + 1, ... of x.
template <class T>
void compute_logits(const Tensor<T>& logits, Index first, const ChunkFactors<T>& factors, const Tensor<const T>& bias) {
  const Index n = logits.rows(), classes = logits.cols(), d = factors.x.stride;
  kernels::gemm_then<T>(n, classes, d, factors.x.from_row(first), factors.weight_transposed, {logits.data, classes},
                        factors.precision, kernels::AddBias<T>{bias});
}

/// G = d loss / d logits of a chunk's rows, written over the logits: each row in T or, in bf16, into the first half of
/// the row's memory.
template <class T>
struct LogitGradients {
  Tensor<T> logits;
  Tensor<T> rows;  // in bf16, a row per thread in T; else empty

  bool in_bf16() const { return rows.data != nullptr; }
  T* row(Index i) const { return in_bf16() ? rows.row(thread_index()) : logits.row(i); }
  Bf16* rounded(Index i) const { return reinterpret_cast<Bf16*>(logits.row(i)); }

  kernels::Factor<T> factor() const {
    constexpr auto halves = static_cast<Index>(sizeof(T) / sizeof(Bf16));
    if (in_bf16())
      return {.data = nullptr, .stride = halves * logits.cols(), .rounded = reinterpret_cast<Bf16*>(logits.data)};
    return {.data = logits.data, .stride = logits.cols()};
  }
};

/// The losses of the rows and, if wanted, G, which is zero in ignored rows.
template <class T>
void compute_losses(std::span<RowLoss> losses, const Tensor<T>& logits, std::span<const int> targets, int ignore_index,
                    double smoothing, const LogitGradients<T>* gradients) {
  const Index classes = logits.cols();
  parallel_ranges(logits.rows(), grain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const T* const row = logits.row(i);
      const bool ignored = targets[i] == ignore_index;
      losses[i] = {};
      if (!gradients) {
        if (!ignored)
          losses[i] =
              kernels::cross_entropy_row(classes, row, kernels::log_sum_exp(classes, row), targets[i], smoothing);
        continue;
      }
      T* const g = gradients->row(i);
      if (ignored)
        std::fill_n(g, classes, T{0});
      else
        losses[i] = kernels::cross_entropy_row_gradient(classes, row, targets[i], smoothing, g);
      if (gradients->in_bf16()) kernels::bf16::round_row(classes, g, gradients->rounded(i));
    }
  });
}

/// The derivatives for dy = 1. Derivatives that are not needed have no memory.
template <class T>
struct UnitGradients {
  Tensor<T> dx, dweight, dbias;

  explicit operator bool() const { return dx.data || dweight.data || dbias.data; }

  /// Adds the rows first, first + 1, ... in order: dX = G W, dW += G^T X, db += column sums of G, where G [n, V] and X
  /// [n, D] are those rows.
  void add_rows(Index first, const LogitGradients<T>& gradients, const ChunkFactors<T>& factors) const {
    const kernels::Factor<T> g = gradients.factor();
    const Index n = gradients.logits.rows(), classes = gradients.logits.cols(), d = factors.x.stride;
    const T beta = first == 0 ? T{0} : T{1};
    if (dx.data) kernels::gemm<T>(n, d, classes, g, factors.weight, T{0}, {dx.data + first * d, d}, factors.precision);
    kernels::Factor<T> transposed = g;
    transposed.transposed = true;
    if (dweight.data)
      kernels::gemm<T>(classes, d, n, transposed, factors.x.from_row(first), beta, {dweight.data, d},
                       factors.precision);
    if (dbias.data) kernels::column_sums<T>(dbias, n, g, first > 0);
  }
};

/// The forward pass computes the value and the gradients for dy = 1; backward scales these gradients. Thus only one
/// chunk's logits are in memory, and they are used while cached.
template <class T>
CrossEntropy<T> linear_cross_entropy_op(const Variable<T>& x, const Variable<T>& weight, const Variable<T>* bias,
                                        std::span<const int> targets, int ignore_index, double label_smoothing) {
  const char* const op = "linear_cross_entropy";
  Context<T>& c = context_of(op, {x, weight});
  const Tensor<const T> w = c.read_matrix(weight);
  const Shape& in = x.shape();
  check(in.rank() == 2 && w.shape.rank() == 2 && in.cols() == w.cols() && in.rows() == std::ssize(targets), op,
        "expected x [N, D], weight [V, D] and N targets; got {}, {} and {}", in, w.shape, targets.size());
  if (bias) context_of(op, {x, *bias});
  const Tensor<const T> b = bias ? c.read(*bias) : Tensor<const T>{};
  check(!bias || b.shape == Shape{w.rows()}, op, "expected bias [V] for weight {}; got {}", w.shape, b.shape);
  const Index rows = in.rows(), classes = w.rows();
  check_targets(op, {rows, classes}, targets, ignore_index, label_smoothing);

  const auto memory_for = [&](const Variable<T>& input) {
    return input.requires_grad() ? c.tensor(input.shape()) : Tensor<T>{};
  };
  const UnitGradients<T> unit{memory_for(x), memory_for(weight), bias ? memory_for(*bias) : Tensor<T>{}};
  const std::span<RowLoss> losses = c.template array<RowLoss>(rows);
  const Arena::Mark mark = c.scratch_mark();
  const ChunkFactors<T> factors(c, x, weight, w, static_cast<bool>(unit));
  const Index chunk_rows = rows_per_chunk(classes, factors.precision);
  const Tensor<T> memory = c.scratch({std::min(rows, chunk_rows), classes});
  const bool in_bf16 = unit && factors.precision == Precision::bf16;
  LogitGradients<T> gradients{{}, in_bf16 ? c.scratch({threads(), classes}) : Tensor<T>{}};
  for (Index first = 0; first == 0 || first < rows; first += chunk_rows) {  // once without rows: zero gradients
    const Index n = std::min(chunk_rows, rows - first);
    const Tensor<T> logits{memory.data, {n, classes}};
    compute_logits(logits, first, factors, b);
    gradients.logits = logits;
    compute_losses(losses.subspan(first, n), logits, targets.subspan(first, n), ignore_index, label_smoothing,
                   unit ? &gradients : nullptr);
    if (unit) unit.add_rows(first, gradients, factors);
  }
  const Tensor<T> y = c.tensor({});
  CrossEntropy<T> result = add_up(losses, targets, ignore_index, y[0]);

  const auto derivative = [unit](Backward<T>& back) {
    const T dy = back.dy()[0];
    const auto scaled = [&](int input, const Tensor<T>& gradient) {
      const Sink<T> to = back.optional_sink(input);
      if (!to) return;
      to.write([&](Index i) { return dy * gradient[i]; });
      back.give(gradient);
    };
    scaled(1, unit.dweight);  // the largest first, so that x's gradient can use its memory
    scaled(0, unit.dx);
    scaled(2, unit.dbias);
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
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
