#pragma once

#include <cmath>
#include <limits>

#include "autograd/kernels/row.h"
#include "autograd/kernels/vector_math.h"

namespace glossa::kernels {

/// sum_j e^(x_j) = e^top sum, where top is the largest x_j.
template <class T>
struct ExpSum {
  T top, sum;
};

template <class T>
ExpSum<T> exp_sum(Index n, const T* x) {
  constexpr T nothing = -std::numeric_limits<T>::infinity();
  const T top = row_max<T>(n, nothing, [&](Index j) { return x[j]; });
  if (top == nothing) return {top, row_sum<T>(n, [&](Index j) { return x[j] == nothing ? T{0} : x[j]; })};  // 0 or NaN
  return {top, row_sum<T>(n, [&](Index j) { return kernels::exp(x[j] - top); })};
}

/// lse = log sum_j e^(x_j) = top + rest, kept in two parts, because adding them would round.
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

/// Returns the loss, and writes its gradient with respect to the logits `x`, for dy = 1, to `g`, which may be `x`. The
/// row is read from memory once, and each element takes one exponential.
template <class T>
RowLoss cross_entropy_row_gradient(Index n, const T* x, int target, double smoothing, T* g) {
  const T top = row_max<T>(n, -std::numeric_limits<T>::infinity(), [&](Index j) { return x[j]; });
  const T shifted_target = x[target] - top;
  const double mean = smoothing == 0 ? 0 : double{row_sum<T>(n, [&](Index j) { return x[j] - top; })} / n;
  const T total = row_sum<T>(n, [&](Index j) { return g[j] = kernels::exp(x[j] - top); });
  const T inverse = T{1} / total, everywhere = static_cast<T>(smoothing / n);
#pragma omp simd
  for (Index j = 0; j < n; ++j) g[j] = g[j] * inverse - everywhere;
  g[target] -= static_cast<T>(1 - smoothing);
  const double lse = std::log(double{total}), nll = lse - double{shifted_target};
  return {nll, smoothing == 0 ? nll : (1 - smoothing) * nll + smoothing * (lse - mean)};
}

/// The derivative of cross_entropy_row: lse' = softmax(x), so dx_j = dy (softmax(x)_j - (1 - s) [j = t] - s / V). `dx`
/// may be `x` itself.
template <class T>
void cross_entropy_row_backward(Index n, const T* x, LogSumExp<T> lse, int target, T smoothing, T dy, T* dx, bool add) {
  const T everywhere = smoothing / static_cast<T>(n);
  write(dx, 0, n, add, [&](Index j) { return dy * (kernels::exp(x[j] - lse.top - lse.rest) - everywhere); });
  dx[target] -= dy * (T{1} - smoothing);
}

}  // namespace glossa::kernels
