#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "autograd/kernels/row.h"

namespace glossa::kernels {

/// Center of a norm's variance: the row's mean (layer norm) or 0 (RMS norm).
enum class About { mean, zero };

/// Mean and 1 / sqrt(variance + epsilon) of one row, kept for the derivative. With About::zero, the mean is 0 and the
/// variance is the mean of squares.
template <class T>
struct RowMoments {
  T mean, inverse_std;

  /// The normalized row n of x: a function j -> n_j.
  auto normalized(const T* x) const {
    return [x, mean = mean, inverse = inverse_std](Index j) { return (x[j] - mean) * inverse; };
  }
};

/// A norm of rows, and its state for the derivative.
template <class T>
struct RowNorm {
  About about;
  Index cols;
  T epsilon;
  const T *gain, *bias;  // null: 1 and 0; a null gain requires a null bias
  std::span<RowMoments<T>> moments;
};

template <class T>
struct MeanAndVariance {
  T mean, variance;
};

/// Mean and variance of one row; x(j) returns x_j. Makes one pass for the mean, if needed, and one for the variance,
/// because subtracting the mean first avoids cancellation. Between the passes, the row stays in the L1 cache.
template <class T, class Value>
MeanAndVariance<T> mean_and_variance(About about, Index d, const Value& x) {
  const T mean = about == About::zero ? T{0} : row_sum<T>(d, x) / static_cast<T>(d);
  return {mean, row_sum<T>(d, [&](Index j) { return (x(j) - mean) * (x(j) - mean); }) / static_cast<T>(d)};
}

/// Moments of a finite row with a sum or squares that overflow. They are computed from the row times a small power of
/// two. A variance that overflows T makes epsilon negligible.
template <class T>
RowMoments<T> large_row_moments(About about, Index d, const T* x, T epsilon) {
  const T unit = std::ldexp(T{1}, -std::numeric_limits<T>::max_exponent / 8 * 5);
  const auto [mean, variance] = mean_and_variance<T>(about, d, [=](Index j) { return x[j] * unit; });
  const T whole = variance / unit / unit;
  return {mean / unit, std::isinf(whole) ? unit / std::sqrt(variance) : T{1} / std::sqrt(whole + epsilon)};
}

template <class T>
RowMoments<T> row_moments(About about, Index d, const T* x, T epsilon) {
  const auto [mean, variance] = mean_and_variance<T>(about, d, [=](Index j) { return x[j]; });
  if (std::isinf(variance)) [[unlikely]]
    return large_row_moments(about, d, x, epsilon);
  return {mean, T{1} / std::sqrt(variance + epsilon)};
}

/// y = n gain + bias for one row; n(j) returns n_j.
template <class T, class Normalized>
void affine_row(const RowNorm<T>& norm, const Normalized& n, T* y) {
  const T *const gain = norm.gain, *const bias = norm.bias;
  if (bias)
    assign_row(norm.cols, y, [=](Index j) { return n(j) * gain[j] + bias[j]; });
  else if (gain)
    assign_row(norm.cols, y, [=](Index j) { return n(j) * gain[j]; });
  else
    assign_row(norm.cols, y, n);
}

/// y = (x - mean) / sqrt(variance + epsilon) gain + bias for row number i, which is x. Saves the row's moments.
template <class T>
void norm_row(const RowNorm<T>& norm, Index i, const T* x, T* y) {
  const RowMoments<T> moments = norm.moments[i] = row_moments(norm.about, norm.cols, x, norm.epsilon);
  affine_row(norm, moments.normalized(x), y);
}

/// Derivative of norm_row. With r = 1 / sqrt(variance + epsilon), n = (x - mean) r and g = dy * gain:
///   dx = r (g - mean(g) - n mean(g n)),
/// because dr/dx_j = -r^2 n_j / D implies dn_i/dx_j = r ([i = j] - 1/D - n_i n_j / D). The terms mean(g) and 1/D come
/// from the mean; they are absent with About::zero. Adds dy n to dgain and dy to dbias, if not null. n(j) returns n_j.
template <class T, class Normalized>
void norm_row_backward(const RowNorm<T>& norm, Index i, const Normalized& n, const T* dy, T* dgain, T* dbias, T* dx) {
  const Index d = norm.cols;
  const T* const gain = norm.gain;
  const T inverse_std = norm.moments[i].inverse_std;
  // dx holds g until the means are known.
  if (gain)
    assign_row(d, dx, [=](Index j) { return dy[j] * gain[j]; });
  else
    std::copy_n(dy, d, dx);
  const T mean_g = norm.about == About::zero ? T{0} : row_sum<T>(d, [&](Index j) { return dx[j]; }) / static_cast<T>(d);
  const T mean_gn = row_sum<T>(d, [&](Index j) { return dx[j] * n(j); }) / static_cast<T>(d);
  assign_row(d, dx, [=](Index j) { return inverse_std * (dx[j] - mean_g - n(j) * mean_gn); });
  if (dgain) add_to_row(d, dgain, [=](Index j) { return dy[j] * n(j); });
  if (dbias) add_to_row(d, dbias, [=](Index j) { return dy[j]; });
}

}  // namespace glossa::kernels
