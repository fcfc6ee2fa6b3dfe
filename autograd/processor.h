#pragma once

#include <string_view>

namespace glossa {

/// Instruction sets from which kernels choose at run time, in ascending order of preference.
enum class InstructionSet { plain, avx2, avxvnni, vnni, avx512bf16, amx };

std::string_view name(InstructionSet set);

/// True if the processor and the operating system support the instructions.
bool processor_has(InstructionSet set);

/// The best instruction set of this processor, or the one that the environment variable GLOSSA_ISA names. Throws a
/// misuse error for an unknown name, and an error if the processor lacks the instruction set.
InstructionSet instruction_set();

}  // namespace glossa
