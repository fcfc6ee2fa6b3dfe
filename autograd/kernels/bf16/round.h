#pragma once

#include "autograd/kernels/bf16/bf16.h"
#include "autograd/tensor.h"

namespace glossa::kernels::bf16 {

/// to[i] = x[i] in bf16, on all threads.
void round(const Tensor<const float>& x, Bf16* to);

}  // namespace glossa::kernels::bf16
