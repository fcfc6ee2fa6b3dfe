#pragma once

#include <cmath>
#include <limits>

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

/// y = n * gain + bias for one row; n(j) returns n_j. A null bias counts as 0. A null gain counts as 1, and requires a
/// null bias.
template <class T, class Normalized>
void affine_row(Index d, const Normalized& n, const T* gain, const T* bias, T* y) {
  if (bias)
    assign_row(d, y, [=](Index j) { return n(j) * gain[j] + bias[j]; });
  else if (gain)
    assign_row(d, y, [=](Index j) { return n(j) * gain[j]; });
  else
    assign_row(d, y, n);
}

/// y = (x - mean) / sqrt(variance + epsilon) * gain + bias for one row, with gain and bias as in affine_row.
template <class T>
RowMoments<T> norm_row(About about, Index d, const T* x, const T* gain, const T* bias, T epsilon, T* y) {
  const RowMoments<T> moments = row_moments(about, d, x, epsilon);
  affine_row(d, moments.normalized(x), gain, bias, y);
  return moments;
}

/// Derivative of norm_row. With r = 1 / sqrt(variance + epsilon), n = (x - mean) r and g = dy * gain:
///   dx = r (g - mean(g) - n mean(g n)),
/// because dr/dx_j = -r^2 n_j / D implies dn_i/dx_j = r ([i = j] - 1/D - n_i n_j / D). The terms mean(g) and 1/D come
/// from the mean; they are absent with About::zero. Adds dy n to dgain and dy to dbias, if not null. n(j) returns n_j,
/// `inverse_std` is r.
template <class T, class Normalized>
void norm_row_backward(About about, Index d, const Normalized& n, T inverse_std, const T* gain, const T* dy, T* dgain,
                       T* dbias, T* dx) {
  // dx holds g until the means are known.
  if (gain)
    assign_row(d, dx, [=](Index j) { return dy[j] * gain[j]; });
  else
    std::copy_n(dy, d, dx);
  const T mean_g = about == About::zero ? T{0} : row_sum<T>(d, [&](Index j) { return dx[j]; }) / static_cast<T>(d);
  const T mean_gn = row_sum<T>(d, [&](Index j) { return dx[j] * n(j); }) / static_cast<T>(d);
  assign_row(d, dx, [=](Index j) { return inverse_std * (dx[j] - mean_g - n(j) * mean_gn); });
  if (dgain) add_to_row(d, dgain, [=](Index j) { return dy[j] * n(j); });
  if (dbias) add_to_row(d, dbias, [=](Index j) { return dy[j]; });
}

}  // namespace glossa::kernels
