#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autograd/shape.h"

namespace glossa::programs {

struct ProgramOp;

/// One line of a program: an op of the table, the earlier lines that it reads, and its other arguments.
struct Instruction {
  const ProgramOp* op = nullptr;
  std::vector<int> operands{};
  std::vector<int> numbers{};  // axes, flags, rates, seeds: defined by the op's entry
  Shape shape{};               // of a leaf or of a reshape's result
};

/// Instructions without branches; line i computes x<i>. The program runs `steps` times in one context.
struct Program {
  std::vector<Instruction> lines{};
  int steps = 1;
};

/// Formats a program as text. The first line is "steps 2"; each other line is an instruction, such as "x7 =
/// add_dropout(x2, x5) 1 0 4", with the shape (in brackets) and the numbers after the operands.
std::string text_of(const Program& program);

/// Parses the text of a program. Throws Error for an invalid line.
Program program_of(std::string_view text);

/// Removes line i and the lines that read it; lines that can read the earlier line `instead` are kept and read that.
Program without(const Program& program, int i, int instead = -1);

}  // namespace glossa::programs
