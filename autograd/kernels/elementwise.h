#pragma once

#include "autograd/parallel.h"
#include "autograd/tensor.h"

namespace glossa::kernels {

/// Elements a thread takes at a time; a multiple of every vector width, so that only the last piece has a tail.
inline constexpr Index elementwise_grain = 8192;

/// y[i] = f(i) for every flat index.
template <class T, class F>
void map(const Tensor<T>& y, const F& f) {
  parallel_ranges(y.size(), elementwise_grain, [&](Index begin, Index end) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) y.data[i] = f(i);
  });
}

/// y[i] = f(i), or y[i] += f(i) if `add`.
template <class T, class F>
void accumulate(const Tensor<T>& y, bool add, const F& f) {
  if (add)
    map(y, [&](Index i) { return y.data[i] + f(i); });
  else
    map(y, f);
}

}  // namespace glossa::kernels
