#include "autograd/kernels/amx_tiles.h"
#include "autograd/kernels/bf16/kind.h"

namespace glossa::kernels::bf16 {

namespace {

struct Bf16Tiles : ProcessorTiles {
  using ProcessorTiles::ProcessorTiles;

  /// C += A B.
  template <int c, int a, int b>
  void multiply() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(c), "i"(a), "i"(b));
  }
};

void amx_multiply(Index rows, Index cols, Index pairs, const LeftPairs& a, const Pair* b, bool add, float* c,
                  Index stride) {
  kernels::amx_multiply<Bf16Tiles>(rows, cols, pairs, a.data, a.row, b, add, c, stride);
}

}  // namespace

const Kind& amx() {
  static const Kind kind{.name = "amx",
                         .left_in_rows = true,
                         .round = avx512().round,
                         .interleave = avx512().interleave,
                         .round_interleave = avx512().round_interleave,
                         .transpose = avx512().transpose,
                         .multiply = amx_multiply};
  return kind;
}

}  // namespace glossa::kernels::bf16
