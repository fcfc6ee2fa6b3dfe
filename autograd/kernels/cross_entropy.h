#pragma once

#include <cmath>
#include <limits>

#include "autograd/kernels/exp_sum.h"

namespace glossa::kernels {

/// lse = log sum_j e^(x_j) = top + rest, kept in two parts because adding them would round.
template <class T>
struct LogSumExp {
  T top, rest;
};

template <class T>
LogSumExp<T> log_sum_exp(Index n, const T* x) {
  const ExpSum<T> all = exp_sum(n, x);
  return {all.top, std::log(all.sum)};
}

/// One row's share of the loss, for target t: nll = lse - x_t, and with smoothing s
///   loss = (1 - s) (lse - x_t) + s (lse - mean x)  =  lse - (1 - s) x_t - s mean x.
struct RowLoss {
  double nll = 0, loss = 0;
};

template <class T>
RowLoss cross_entropy_row(Index n, const T* x, LogSumExp<T> lse, int target, double smoothing) {
  const double nll = double{lse.rest} - (double{x[target]} - double{lse.top});
  if (smoothing == 0) return {nll, nll};
  const T mean = row_sum<T>(n, [&](Index j) { return x[j] - lse.top; }) / static_cast<T>(n);
  return {nll, (1 - smoothing) * nll + smoothing * (double{lse.rest} - double{mean})};
}

/// A row's loss and 1 / sum_j e^(x_j - top).
template <class T>
struct RowExponentials {
  RowLoss loss;
  T inverse;
};

/// Writes e^(x_j - top) to `g`, which may be `x`; top is the largest x_j. Computes one exponential per element.
template <class T>
RowExponentials<T> row_exponentials(Index n, const T* x, T top, int target, double smoothing, T* g) {
  const T shifted_target = x[target] - top;
  const double mean = smoothing == 0 ? 0 : double{row_sum<T>(n, [&](Index j) { return x[j] - top; })} / n;
  const T total = row_sum<T>(n, [&](Index j) { return g[j] = kernels::exp(x[j] - top); });
  const double lse = std::log(double{total}), nll = lse - double{shifted_target};
  return {{nll, smoothing == 0 ? nll : (1 - smoothing) * nll + smoothing * (lse - mean)}, T{1} / total};
}

/// Returns the loss. Writes its gradient with respect to the logits `x`, for dy = 1, to `g`, which may be `x`.
template <class T>
RowLoss cross_entropy_row_gradient(Index n, const T* x, int target, double smoothing, T* g) {
  const RowExponentials<T> row = row_exponentials(n, x, exp_top(n, x), target, smoothing, g);
  const T inverse = row.inverse, everywhere = static_cast<T>(smoothing / n);
#pragma omp simd
  for (Index j = 0; j < n; ++j) g[j] = g[j] * inverse - everywhere;
  g[target] -= static_cast<T>(1 - smoothing);
  return row.loss;
}

/// One row's share of the loss of R-Drop (Wu et al. 2021). x and y are the logits of two passes, p and q their softmax:
///   loss = (loss of x + loss of y) / 2 + alpha / 4 (KL(p || q) + KL(q || p))
/// Both divergences together are sum_j (p_j - q_j) (x_j - y_j). Writes the gradients with respect to x and y, for dy =
/// 1, to `gx` and `gy`, which may be `x` and `y`. `difference` is memory for n numbers. Makes few passes over x and y,
/// because the two rows together exceed the L1 cache. One pass computes differences and a maximum, and the last pass
/// normalizes p and q.
template <class T>
RowLoss r_drop_row_gradient(Index n, const T* x, const T* y, int target, double smoothing, double alpha, T* gx, T* gy,
                            T* difference) {
  constexpr T nothing = -std::numeric_limits<T>::infinity();
  T* const d = difference;
  const T top_x = row_max<T>(n, nothing, [&](Index j) {
    d[j] = x[j] - y[j];
    return x[j];
  });
  const T top_y = row_max<T>(n, nothing, [&](Index j) { return y[j]; });
  const RowExponentials<T> of_x = row_exponentials(n, x, top_x, target, smoothing, gx),
                           of_y = row_exponentials(n, y, top_y, target, smoothing, gy);
  const T scale_x = of_x.inverse, scale_y = of_y.inverse;
  const T mean_x = scale_x * row_sum<T>(n, [&](Index j) { return gx[j] * d[j]; }),
          mean_y = scale_y * row_sum<T>(n, [&](Index j) { return gy[j] * d[j]; });
  const T half{0.5}, everywhere = static_cast<T>(smoothing / n), weight = static_cast<T>(alpha / 4);
#pragma omp simd
  for (Index j = 0; j < n; ++j) {
    const T p = scale_x * gx[j], q = scale_y * gy[j];
    gx[j] = half * (p - everywhere) + weight * (p * (d[j] - mean_x) + (p - q));
    gy[j] = half * (q - everywhere) - weight * (q * (d[j] - mean_y) + (p - q));
  }
  const T known = half * static_cast<T>(1 - smoothing);
  gx[target] -= known;
  gy[target] -= known;
  return {
      (of_x.loss.nll + of_y.loss.nll) / 2,
      (of_x.loss.loss + of_y.loss.loss) / 2 + alpha / 4 * (static_cast<double>(mean_x) - static_cast<double>(mean_y))};
}

/// Derivative of cross_entropy_row: lse' = softmax(x), so dx_j = dy (softmax(x)_j - (1 - s) [j = t] - s / n). `dx` may
/// be `x` itself.
template <class T>
void cross_entropy_row_backward(Index n, const T* x, LogSumExp<T> lse, int target, T smoothing, T dy, T* dx, bool add) {
  const T everywhere = smoothing / static_cast<T>(n);
  write_row(n, dx, add, [&](Index j) { return dy * (kernels::exp(x[j] - lse.top - lse.rest) - everywhere); });
  dx[target] -= dy * (T{1} - smoothing);
}

}  // namespace glossa::kernels
