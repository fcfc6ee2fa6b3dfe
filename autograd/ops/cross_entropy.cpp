#include <cmath>
#include <limits>

#include "autograd/kernels/row.h"
#include "autograd/kernels/rowwise.h"
#include "autograd/kernels/vector_math.h"
#include "autograd/ops.h"

namespace glossa {

template <class T>
CrossEntropy<T> cross_entropy(const Variable<T>& logits, std::span<const int> targets, int ignore_index,
                              double label_smoothing) {
  Context<T>& c = context_of("cross_entropy", {logits});
  const Tensor<T> x = logits.value();
  check(x.shape.rank() == 2 && x.rows() == static_cast<Index>(targets.size()), "cross_entropy",
        "expected logits [N, V] and N targets; got {} and {}", x.shape, targets.size());
  check(label_smoothing >= 0 && label_smoothing <= 1, "cross_entropy", "expected label smoothing in [0, 1]; got {}",
        label_smoothing);
  const Index rows = x.rows(), classes = x.cols();
  for (Index i = 0; i < rows; ++i)
    check(targets[i] == ignore_index || (targets[i] >= 0 && targets[i] < classes), "cross_entropy",
          "expected targets in [0, {}) or {} (ignored) for logits {}; got {} in row {}", classes, ignore_index, x.shape,
          targets[i], i);

  // Per row: log sum exp(x), the negative log-likelihood of the target, and the smoothed loss
  //   (1 - s) (lse - x_t) + s (lse - mean x)  =  lse - (1 - s) x_t - s mean x.
  // Probabilities are never stored: the derivative makes them again from x and lse.
  const std::span<T> top = c.template array<T>(rows), log_total = c.template array<T>(rows);
  const std::span<double> nll = c.template array<double>(rows), loss = c.template array<double>(rows);
  const std::span<int> kept = c.template array<int>(rows);
  const T smoothing = static_cast<T>(label_smoothing);
  parallel_ranges(rows, 8, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const int target = kept[i] = targets[i] == ignore_index ? -1 : targets[i];
      nll[i] = loss[i] = 0;
      if (target < 0) continue;
      const T* const row = x.row(i);
      top[i] = kernels::row_max<T>(classes, -std::numeric_limits<T>::infinity(), [&](Index j) { return row[j]; });
      const T shift = top[i];
      log_total[i] = std::log(kernels::row_sum<T>(classes, [&](Index j) { return kernels::exp(row[j] - shift); }));
      nll[i] = loss[i] = double{log_total[i]} - (double{row[target]} - double{shift});
      if (smoothing > 0) {
        const T mean = kernels::row_sum<T>(classes, [&](Index j) { return row[j] - shift; }) / static_cast<T>(classes);
        loss[i] = (1 - label_smoothing) * nll[i] + label_smoothing * (double{log_total[i]} - double{mean});
      }
    }
  });

  CrossEntropy<T> result;
  double sum = 0;
  for (Index i = 0; i < rows; ++i) {
    sum += loss[i];
    result.nll_sum += nll[i];
    result.count += kept[i] >= 0;
  }
  const Tensor<T> y = c.tensor({});
  y[0] = static_cast<T>(sum);

  result.sum = c.record("cross_entropy", {logits}, y, [x, top, log_total, kept, smoothing](Backward<T>& back) {
    // dx_j = dy (softmax(x)_j - (1 - s) [j = t] - s / V)
    const Sink<T> to = back.sink(0);
    const T dy = back.dy()[0];
    const Index classes = x.cols();
    const T everywhere = smoothing / static_cast<T>(classes);
    parallel_ranges(x.rows(), 8, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        T* const dx = to.grad.row(i);
        if (kept[i] < 0) {
          if (!to.add) std::fill_n(dx, classes, T{0});
          continue;
        }
        const T* const row = x.row(i);
        const T shift = top[i], rest = log_total[i];
        if (to.add) {
#pragma omp simd
          for (Index j = 0; j < classes; ++j) dx[j] += dy * (kernels::exp(row[j] - shift - rest) - everywhere);
        } else {
#pragma omp simd
          for (Index j = 0; j < classes; ++j) dx[j] = dy * (kernels::exp(row[j] - shift - rest) - everywhere);
        }
        dx[kept[i]] -= dy * (T{1} - smoothing);
      }
    });
  });
  return result;
}

template CrossEntropy<float> cross_entropy(const Variable<float>&, std::span<const int>, int, double);
template CrossEntropy<double> cross_entropy(const Variable<double>&, std::span<const int>, int, double);

}  // namespace glossa
