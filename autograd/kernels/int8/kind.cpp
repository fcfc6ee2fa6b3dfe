#include "autograd/kernels/int8/kind.h"

#include <cstring>

#include "autograd/processor.h"

namespace glossa::kernels::int8 {

const Kind& kind() {
  static const Kind& chosen = []() -> const Kind& {
    switch (instruction_set()) {
      case InstructionSet::amx:
        return amx();
      case InstructionSet::avx512bf16:  // every processor with AVX512-BF16 has AVX512-VNNI
      case InstructionSet::vnni:
        return vnni();
      case InstructionSet::avxvnni:
        return avxvnni();
      case InstructionSet::avx2:
        return avx2();
      case InstructionSet::plain:
        break;
    }
    return plain();
  }();
  return chosen;
}

void lay_out_signed(Index quads, const Code* codes, Unit* to) {
  std::memcpy(to, codes, 4 * static_cast<std::size_t>(quads));
}

void lay_out_unsigned(Index quads, const Code* codes, Unit* to) {
  lay_out_signed(quads, codes, to);
  for (Index q = 0; q < quads; ++q) to[q] ^= 0x80808080;  // adds 128 to each code
}

}  // namespace glossa::kernels::int8
