#pragma once

#include <array>

#include "autograd/tensor.h"

namespace glossa::kernels {

/// Elements of `from` in another order: to[i0, i1, i2, i3] (+)= from[sum of i_k stride_k], indices of
/// extents4(to.shape). `stride` is that of a dense tensor with its axes permuted.
template <class T>
void permute(const Tensor<T>& to, const T* from, const std::array<Index, Shape::max_rank>& stride, bool add);

}  // namespace glossa::kernels
