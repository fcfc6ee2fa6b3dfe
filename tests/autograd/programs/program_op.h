#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/variable.h"
#include "tests/autograd/programs/program.h"

namespace glossa::programs {

class Draw;
template <class T>
class Call;

/// An op for drawn programs: how to draw a line of this kind, and how to run it.
struct ProgramOp {
  using Drawn = std::function<Instruction(Draw&)>;

  std::string name;  // as in ops.h; a suffix after a dot separates overloads
  Drawn draw;        // draws operands and numbers; throws Error if nothing fits, to be called again
  std::function<Variable<float>(Call<float>&)> in_float;
  std::function<Variable<double>(Call<double>&)> in_double;
  int weight = 4;               // frequency, relative to other ops
  bool is_shaped = false;       // uses Instruction::shape
  bool is_checkable = true;     // finite differences can check its derivative
  bool keeps_gradient = false;  // of its result variable

  ProgramOp& often(int times) { return weight = times, *this; }
  ProgramOp& shaped() { return is_shaped = true, *this; }
  ProgramOp& keeping_gradient() { return keeps_gradient = true, *this; }
  ProgramOp& unlike_differences() { return is_checkable = false, *this; }
};

/// The table of ops while it is filled. `put` makes an entry from one generic callable.
struct ProgramOps {
  template <class F>
  ProgramOp& put(std::string name, ProgramOp::Drawn draw, F call) {
    return all.emplace_back(
        ProgramOp{.name = std::move(name), .draw = std::move(draw), .in_float = call, .in_double = call});
  }

  std::vector<ProgramOp> all;
};

/// Adds every op of autograd/ops.h.
void put_library_ops(ProgramOps& ops);

/// Adds leaves, other uses of variables in a program, and the test's own ops.
void put_other_ops(ProgramOps& ops);

/// The full table: library and other ops.
const std::vector<ProgramOp>& program_ops();

/// Finds an op by name; throws Error if it does not exist.
const ProgramOp& op_named(std::string_view name);

}  // namespace glossa::programs
