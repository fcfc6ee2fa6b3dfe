#pragma once

#include <limits>

#include "autograd/kernels/row.h"
#include "autograd/kernels/vector_math.h"

/// Sums of exponentials, for softmax and the losses.
namespace glossa::kernels {

/// sum_j e^(x_j) in the form e^top sum, with sum = sum_j e^(x_j - top). `top` is the largest x_j, so exp does not
/// overflow. For a row of -inf, where subtracting the maximum would give NaN, both are 0.
template <class T>
struct ExpSum {
  T top, sum;
};

/// ExpSum::top of a row.
template <class T>
T exp_top(Index n, const T* x) {
  constexpr T nothing = -std::numeric_limits<T>::infinity();
  const T max = row_max<T>(n, nothing, [&](Index j) { return x[j]; });
  return max == nothing ? T{0} : max;
}

template <class T>
ExpSum<T> exp_sum(Index n, const T* x) {
  const T top = exp_top(n, x);
  return {top, row_sum<T>(n, [&](Index j) { return kernels::exp(x[j] - top); })};
}

/// As exp_sum, but also writes e^(x_j - top) to e_j. Separate passes are faster for short rows than one.
template <class T>
ExpSum<T> exp_row(Index n, const T* x, T* e) {
  const T top = exp_top(n, x);
#pragma omp simd
  for (Index j = 0; j < n; ++j) e[j] = kernels::exp(x[j] - top);
  return {top, row_sum<T>(n, [=](Index j) { return e[j]; })};
}

}  // namespace glossa::kernels
