#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autograd/shape.h"

namespace glossa::programs {

struct ProgramOp;

/// One line of a program: an op of the table, the earlier lines that it reads, and what else it is called with.
struct Instruction {
  const ProgramOp* op = nullptr;
  std::vector<int> operands{};
  std::vector<int> numbers{};  // axes, flags, rates, seeds: the op's entry says which
  Shape shape{};               // of a leaf, or what a reshape makes
};

/// A straight line of instructions; line i computes x<i>. It runs `steps` times in one context.
struct Program {
  std::vector<Instruction> lines{};
  int steps = 1;
};

/// As a person would type it, a line an instruction: "x7 = add_dropout(x2, x5) 1 0 4", shapes in brackets behind the
/// operands, then the numbers; "steps 2" first.
std::string text_of(const Program& program);

/// The other way. Throws Error for a line that cannot be read.
Program program_of(std::string_view text);

/// Without line i and all that reads it, unless it can read line `instead` (an earlier one) for it.
Program without(const Program& program, int i, int instead = -1);

}  // namespace glossa::programs
