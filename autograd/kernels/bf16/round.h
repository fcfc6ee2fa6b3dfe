#pragma once

#include "autograd/kernels/bf16/bf16.h"
#include "autograd/tensor.h"

namespace glossa::kernels::bf16 {

/// to[i] = x[i] in bf16, on all threads.
void round(const Tensor<const float>& x, Bf16* to);

/// to[i] = from[i] in bf16, on the calling thread.
void round_row(Index count, const float* from, Bf16* to);
inline void round_row(Index, const double*, Bf16*) {}  // no step in double has numbers in bf16

}  // namespace glossa::kernels::bf16
