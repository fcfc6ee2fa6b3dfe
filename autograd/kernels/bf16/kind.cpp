#include "autograd/kernels/bf16/kind.h"

#include "autograd/processor.h"

namespace glossa::kernels::bf16 {

const Kind& kind() {
  static const Kind& chosen = [&]() -> const Kind& {
    switch (instruction_set()) {
      case InstructionSet::amx:
        return amx();
      case InstructionSet::avx512bf16:
        return avx512();
      default:
        return plain();
    }
  }();
  return chosen;
}

}  // namespace glossa::kernels::bf16
