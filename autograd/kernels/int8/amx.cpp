#include "autograd/kernels/amx_tiles.h"
#include "autograd/kernels/int8/kind.h"

namespace glossa::kernels::int8 {

namespace {

struct Int8Tiles : ProcessorTiles {
  using ProcessorTiles::ProcessorTiles;

  /// C += A B.
  template <int c, int a, int b>
  void multiply() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(c), "i"(a), "i"(b));
  }
};

void int8_multiply(Index rows, Index cols, Index quads, const Unit* a, Index row, const Unit* b, const std::int32_t*,
                   std::int32_t* sums) {
  amx_multiply<Int8Tiles>(rows, cols, quads, a, row, b, /*add=*/false, sums, panel_columns);
}

}  // namespace

const Kind& amx() {
  static const Kind kind{.name = "amx", .offset = 0, .lay_out = lay_out_signed, .multiply = int8_multiply};
  return kind;
}

}  // namespace glossa::kernels::int8
