#include "autograd/kernels/bf16/amx_tiles.h"

namespace glossa::kernels::bf16 {

namespace {

/// The processor's tiles, configured from construction to destruction. Written as assembly because compilers have these
/// instructions for tile numbers in literals only.
class ProcessorTiles {
 public:
  explicit ProcessorTiles(const TileShapes& shapes) { asm volatile("ldtilecfg %0" : : "m"(shapes)); }
  ~ProcessorTiles() { asm volatile("tilerelease"); }
  ProcessorTiles(const ProcessorTiles&) = delete;
  ProcessorTiles& operator=(const ProcessorTiles&) = delete;

  template <int tile>
  void load(const void* from, Index row_bytes) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(row_bytes), "i"(tile) : "memory");
  }

  template <int tile>
  void store(void* to, Index row_bytes) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(row_bytes), "i"(tile) : "memory");
  }

  /// C += A B.
  template <int c, int a, int b>
  void multiply() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(c), "i"(a), "i"(b));
  }
};

}  // namespace

const Kind& amx() {
  static const Kind kind{.name = "amx",
                         .left_in_rows = true,
                         .round = avx512().round,
                         .interleave = avx512().interleave,
                         .round_interleave = avx512().round_interleave,
                         .transpose = avx512().transpose,
                         .multiply = amx_multiply<ProcessorTiles>};
  return kind;
}

}  // namespace glossa::kernels::bf16
