#pragma once

#include <array>

#include "autograd/tensor.h"

namespace glossa::kernels {

/// Copies the elements of `from` in another order, or adds them if `add`: to[i0, i1, i2, i3] (+)= from[sum of i_k
/// stride_k], for all indices within extents4(to.shape). `stride` contains the strides of the dense tensor `from`, in
/// the order of the axes of `to`.
template <class T>
void permute(const Tensor<T>& to, const T* from, const std::array<Index, Shape::max_rank>& stride, bool add);

}  // namespace glossa::kernels
