#pragma once

#include "autograd/kernels/bf16/kind.h"
#include "autograd/tensor.h"
#include "base/parallel.h"

namespace glossa::kernels::bf16 {

/// to[i] = from[i] in bf16, on the calling thread.
inline void round_row(Index count, const float* from, Bf16* to) { kind().round(count, from, to); }
inline void round_row(Index, const double*, Bf16*) {}  // double has no bf16 form

/// to[i] = x[i] in bf16, on all threads.
inline void round(const Tensor<const float>& x, Bf16* to) {
  constexpr Index grain = 4096;
  parallel_ranges(x.size(), grain, [&](Index begin, Index end) { round_row(end - begin, x.data + begin, to + begin); });
}

}  // namespace glossa::kernels::bf16
