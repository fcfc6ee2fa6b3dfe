#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autograd/shape.h"

namespace glossa::programs {

struct ProgramOp;

/// One line of a program: an op of the table, the earlier lines it reads, and its other arguments.
struct Instruction {
  const ProgramOp* op = nullptr;
  std::vector<int> operands{};
  std::vector<int> numbers{};  // axes, flags, rates, seeds: defined by the op's entry
  Shape shape{};               // of a leaf, or a reshape's result
};

/// A straight line of instructions; line i computes x<i>. It runs `steps` times in one context.
struct Program {
  std::vector<Instruction> lines{};
  int steps = 1;
};

/// In the form a person would type, one line per instruction: "x7 = add_dropout(x2, x5) 1 0 4", shapes in brackets
/// after the operands, then the numbers; "steps 2" first.
std::string text_of(const Program& program);

/// The inverse. Throws Error for an unreadable line.
Program program_of(std::string_view text);

/// Without line i and its readers, except those that can read line `instead` (an earlier one).
Program without(const Program& program, int i, int instead = -1);

}  // namespace glossa::programs
