#pragma once

#include <algorithm>

#include "autograd/tensor.h"
#include "base/parallel.h"

namespace glossa::kernels {

/// Elements per piece of work; a multiple of every vector width, so only the last piece can end within a vector.
inline constexpr Index elementwise_grain = 8192;

/// Sets to[i] = f(i), or to[i] += f(i) if `add`, for i in {begin, ..., end-1}, on the calling thread. With
/// GLOSSA_BOUNDS_CHECKS, `f` may throw. The loop then is not a simd loop, in which an exception would end the program.
template <class T, class F>
void write(T* to, Index begin, Index end, bool add, const F& f) {
#if GLOSSA_BOUNDS_CHECKS
  for (Index i = begin; i < end; ++i) to[i] = add ? to[i] + f(i) : f(i);
#else
  if (add) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) to[i] += f(i);
  } else {
#pragma omp simd
    for (Index i = begin; i < end; ++i) to[i] = f(i);
  }
#endif
}

/// Sets row[j] = f(j) for each of `n` columns j, on the calling thread.
template <class T, class F>
void assign_row(Index n, T* row, const F& f) {
  write(row, 0, n, false, f);
}

/// Adds f(j) to row[j] for each of `n` columns j, on the calling thread.
template <class T, class F>
void add_to_row(Index n, T* row, const F& f) {
  write(row, 0, n, true, f);
}

/// Calls add_to_row if `add`, otherwise assign_row.
template <class T, class F>
void write_row(Index n, T* row, bool add, const F& f) {
  write(row, 0, n, add, f);
}

/// Sets y[i] = f(i), or y[i] += f(i) if `add`, for every flat index i, on several threads.
template <class T, class F>
void accumulate(const Tensor<T>& y, bool add, const F& f) {
  parallel_ranges(y.size(), elementwise_grain, [&](Index begin, Index end) { write(y.data, begin, end, add, f); });
}

/// Sets y[i] = f(i) for every flat index i, on several threads.
template <class T, class F>
void map(const Tensor<T>& y, const F& f) {
  parallel_ranges(y.size(), elementwise_grain, [&](Index begin, Index end) { write(y.data, begin, end, false, f); });
}

template <class T>
void fill(const Tensor<T>& y, T value) {
  map(y, [value](Index) { return value; });
}

}  // namespace glossa::kernels
