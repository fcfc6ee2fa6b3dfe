#include "autograd/processor.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/check.h"

namespace glossa {

namespace {

constexpr InstructionSet sets[] = {InstructionSet::plain, InstructionSet::avx2,       InstructionSet::avxvnni,
                                   InstructionSet::vnni,  InstructionSet::avx512bf16, InstructionSet::amx};

/// Bit `bit` of register eax, ebx, ecx or edx (numbered 0 to 3) in CPUID's leaf 7.
bool leaf_7(unsigned subleaf, int which, int bit) {
  unsigned registers[4] = {};
  return __get_cpuid_count(7, subleaf, &registers[0], &registers[1], &registers[2], &registers[3]) != 0 &&
         (registers[which] >> bit & 1) != 0;
}

/// Requests the memory for AMX's tiles, which Linux grants only on request. Threads inherit the permission.
bool may_use_tiles() {
  constexpr long request_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

InstructionSet chosen() {
  const char* const variable = "GLOSSA_ISA";
  const char* const value = std::getenv(variable);
  if (!value || !*value) return *std::find_if(std::rbegin(sets), std::rend(sets), processor_has);
  const auto* const set = std::ranges::find(sets, std::string_view(value), [](InstructionSet s) { return name(s); });
  if (set == std::end(sets)) misuse(variable, "expected plain, avx2, avxvnni, vnni, avx512bf16 or amx; got {}", value);
  check(processor_has(*set), variable,
        "expected instructions of this processor; got {}, which it lacks. Hint: leave the variable unset", value);
  return *set;
}

}  // namespace

std::string_view name(InstructionSet set) {
  constexpr std::string_view names[] = {"plain", "avx2", "avxvnni", "vnni", "avx512bf16", "amx"};
  return names[static_cast<int>(set)];
}

bool processor_has(InstructionSet set) {
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                      __builtin_cpu_supports("avx512vl") != 0;
  switch (set) {
    case InstructionSet::plain:
      return true;
    case InstructionSet::avx2:
      return avx2;
    case InstructionSet::avxvnni:
      return avx2 && leaf_7(1, 0, 4);
    case InstructionSet::vnni:
      return avx512 && leaf_7(0, 2, 11);
    case InstructionSet::avx512bf16:
      return avx512 && leaf_7(1, 0, 5);
    case InstructionSet::amx:
      return avx512 && leaf_7(1, 0, 5) && leaf_7(0, 3, 22) && leaf_7(0, 3, 24) && leaf_7(0, 3, 25) && may_use_tiles();
  }
  return false;
}

InstructionSet instruction_set() {
  static const InstructionSet set = chosen();
  return set;
}

}  // namespace glossa
