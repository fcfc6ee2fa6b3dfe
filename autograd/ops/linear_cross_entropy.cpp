#include <algorithm>

#include "autograd/kernels/gemm.h"
#include "autograd/kernels/rowwise.h"
#include "autograd/ops/linear_product.h"
#include "autograd/ops/row_losses.h"

/// The cross-entropy of the logits Z = X W^T + b, or R-Drop's loss. G is the gradient of Z for dy = 1, which
/// kernels/cross_entropy.h computes row by row:
///     dX = dy G W,    dW = dy G^T X,    db = dy (sum of the rows of G).
namespace glossa {

namespace {

using kernels::RowLoss;

/// Number of rows with logits in memory at the same time: few enough for the cache, enough for near-peak matrix
/// products.
constexpr Index rows_per_chunk(Index classes, Precision precision) {
  constexpr Index many_logits = Index{1} << 23;  // for a large vocabulary, 256 rows would take most of a step's memory
  return precision == Precision::bf16 && 256 * classes > many_logits ? 208 : 256;
}

/// With at least this many rows, a step in bf16 packs W and W^T once for all chunks. With fewer rows, each tile packs
/// its part, which costs little time and no memory.
constexpr Index many_rows = 2048;

/// Factors of the products of all chunks: X, of which from_row selects a chunk's rows, W [V, D] and W^T.
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

/// G = d loss / d logits of a chunk's rows. G overwrites the logits: each row is in T or, in bf16, in the first half of
/// the row's memory.
template <class T>
struct LogitGradients {
  Tensor<T> logits;
  Tensor<T> rows;  // three spare rows per thread: R-Drop's differences and, in bf16, G in T
  bool in_bf16;

  T* spare(Index k) const { return rows.row(3 * thread_index() + k); }
  T* row(Index i, Index pass = 0) const { return in_bf16 ? spare(pass) : logits.row(i); }

  /// Rounds a row, if in bf16.
  void finish(Index i, Index pass = 0) const {
    if (in_bf16) kernels::bf16::round_row(logits.cols(), row(i, pass), reinterpret_cast<Bf16*>(logits.row(i)));
  }

  /// G of `n` rows, starting at row `begin`.
  kernels::Factor<T> factor(Index begin) const {
    constexpr auto halves = static_cast<Index>(sizeof(T) / sizeof(Bf16));
    T* const data = logits.data + begin * logits.cols();  // not row(begin), whose check fails without rows
    if (in_bf16) return {.data = nullptr, .stride = halves * logits.cols(), .rounded = reinterpret_cast<Bf16*>(data)};
    return {.data = data, .stride = logits.cols()};
  }
};

struct LinearLossOptions : LossOptions {
  double alpha = 0;  // R-Drop's factor, with two passes
  Index passes = 1;  // the rows of x are the rows of the targets, repeated this many times
};

/// Computes a chunk's losses and G, which is zero in ignored rows.
template <class T>
void compute_losses_and_gradients(std::span<RowLoss> losses, std::span<const int> targets, const LinearLossOptions& o,
                                  const LogitGradients<T>& gradients) {
  const Tensor<T>& logits = gradients.logits;
  const Index n = std::ssize(targets), classes = logits.cols();
  kernels::for_each_row(n, classes, [&](Index i) {
    const T* const row = logits.row(i);
    T* const g = gradients.row(i);
    T* const second = o.passes == 2 ? gradients.row(n + i, 1) : nullptr;
    if (targets[i] == o.ignore_index) {
      losses[i] = {};
      std::fill_n(g, classes, T{0});
      if (second) std::fill_n(second, classes, T{0});
    } else if (second) {
      losses[i] = kernels::r_drop_row_gradient(classes, row, logits.row(n + i), targets[i], o.smoothing, o.alpha, g,
                                               second, gradients.spare(2));
    } else {
      losses[i] = kernels::cross_entropy_row_gradient(classes, row, targets[i], o.smoothing, g);
    }
    gradients.finish(i);
    if (second) gradients.finish(n + i, 1);
  });
}

/// Gradients of x, W and b for dy = 1. A gradient that is not needed has no memory.
template <class T>
struct UnitGradients {
  Tensor<T> dx, dweight, dbias;

  explicit operator bool() const { return dx.data || dweight.data || dbias.data; }

  /// Adds the contribution of n rows, which start at row `first` of X and row `begin` of G: dX = G W, dW += G^T X, db
  /// += column sums of G.
  void add_rows(Index first, Index begin, Index n, const LogitGradients<T>& gradients,
                const ChunkFactors<T>& factors) const {
    const kernels::Factor<T> g = gradients.factor(begin);
    const Index classes = gradients.logits.cols(), d = factors.x.stride;
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

/// The forward pass computes the value and the gradients for dy = 1; backward scales these gradients. Only one chunk's
/// logits are in memory at a time, and they are used while cached.
template <class T>
CrossEntropy<T> linear_cross_entropy_op(const Variable<T>& x, const Variable<T>& weight,
                                        const OptionalVariable<T>& bias, std::span<const int> targets,
                                        const LinearLossOptions& o) {
  const char* const op = o.passes == 2 ? "r_drop" : "linear_cross_entropy";
  Context<T>& c = context_of<T>(op, {x, weight, bias});
  const Tensor<const T> w = c.read_matrix(weight);
  const Shape& in = x.shape();
  const Index rows = std::ssize(targets), classes = w.rows();
  check(in.rank() == 2 && w.shape.rank() == 2 && in.cols() == w.cols() && in.rows() == o.passes * rows, op,
        "expected x [{}N, D], weight [V, D] and N targets; got {}, {} and {}", o.passes == 2 ? "2 " : "", in, w.shape,
        rows);
  const Tensor<const T> b = read_bias(c, op, bias, w.shape, 'V');
  check_targets(op, {rows, classes}, targets, o);

  const auto memory_for = [&](const OptionalVariable<T>& input) {
    return c.records({input}) ? c.tensor(input->shape()) : Tensor<T>{};
  };
  const UnitGradients<T> unit{memory_for(x), memory_for(weight), memory_for(bias)};
  const std::span<RowLoss> losses = c.template array<RowLoss>(rows);
  const Arena::Mark mark = c.scratch_mark();
  const ChunkFactors<T> factors(c, x, weight, w, static_cast<bool>(unit));
  const Index chunk_rows = rows_per_chunk(classes, factors.precision) / o.passes;
  const Tensor<T> memory = c.scratch({o.passes * std::min(rows, chunk_rows), classes});
  const bool has_gradients = unit || o.passes == 2, in_bf16 = has_gradients && factors.precision == Precision::bf16;
  LogitGradients<T> gradients{
      {}, in_bf16 || o.passes == 2 ? c.scratch({3 * threads(), classes}) : Tensor<T>{}, in_bf16};
  for (Index first = 0; first == 0 || first < rows; first += chunk_rows) {  // at least once, to zero gradients
    const Index n = std::min(chunk_rows, rows - first);
    gradients.logits = {memory.data, {o.passes * n, classes}};
    for (Index pass = 0; pass < o.passes; ++pass)
      compute_logits<T>({memory.data + pass * n * classes, {n, classes}}, pass * rows + first, factors, b);
    if (has_gradients)
      compute_losses_and_gradients(losses.subspan(first, n), targets.subspan(first, n), o, gradients);
    else
      compute_losses<T>(losses.subspan(first, n), targets.subspan(first, n), o, gradients.logits, nullptr);
    for (Index pass = 0; unit && pass < o.passes; ++pass)
      unit.add_rows(pass * rows + first, pass * n, n, gradients, factors);
  }
  const Tensor<T> y = c.tensor({});
  CrossEntropy<T> result = add_up<T>(losses, targets, o, y[0]);

  result.sum = c.record(op, {x, weight, bias}, y, [unit](Backward<T>& back) {
    const T dy = back.dy()[0];
    const auto scaled = [&](int input, const Tensor<T>& gradient) {
      const Sink<T> to = back.optional_sink(input);
      if (!to) return;
      to.write([&](Index i) { return dy * gradient[i]; });
      back.give(gradient);
    };
    scaled(1, unit.dweight);  // the largest first, so that x's gradient can reuse its memory
    scaled(0, unit.dx);
    scaled(2, unit.dbias);
  });
  return result;
}

}  // namespace

template <class T>
CrossEntropy<T> linear_cross_entropy(const Variable<T>& x, const Variable<T>& weight, const OptionalVariable<T>& bias,
                                     std::span<const int> targets, int ignore_index, double label_smoothing) {
  return linear_cross_entropy_op(x, weight, bias, targets, {{ignore_index, label_smoothing}});
}

template <class T>
CrossEntropy<T> r_drop(const Variable<T>& x, const Variable<T>& weight, const OptionalVariable<T>& bias,
                       std::span<const int> targets, double alpha, int ignore_index, double label_smoothing) {
  check(alpha >= 0, "r_drop", "expected alpha of at least 0; got {}", alpha);
  return linear_cross_entropy_op(x, weight, bias, targets, {{ignore_index, label_smoothing}, alpha, 2});
}

#define GLOSSA_INSTANTIATE(T)                                                                                       \
  template CrossEntropy<T> linear_cross_entropy(const Variable<T>&, const Variable<T>&, const OptionalVariable<T>&, \
                                                std::span<const int>, int, double);                                 \
  template CrossEntropy<T> r_drop(const Variable<T>&, const Variable<T>&, const OptionalVariable<T>&,               \
                                  std::span<const int>, double, int, double);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
