#include "autograd/kernels/bf16/round.h"

#include "autograd/kernels/bf16/kind.h"
#include "base/parallel.h"

namespace glossa::kernels::bf16 {

void round(const Tensor<const float>& x, Bf16* to) {
  constexpr Index grain = 4096;
  parallel_ranges(x.size(), grain,
                  [&, &kind = kind()](Index begin, Index end) { kind.round(end - begin, x.data + begin, to + begin); });
}

void round_row(Index count, const float* from, Bf16* to) { kind().round(count, from, to); }

}  // namespace glossa::kernels::bf16
