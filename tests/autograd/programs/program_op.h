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

/// What programs are drawn from: how a line of this kind is drawn, and what it does when it runs.
struct ProgramOp {
  using Drawn = std::function<Instruction(Draw&)>;

  std::string name;  // as in ops.h; behind a dot what tells overloads apart
  Drawn draw;        // operands and numbers; throws Error where nothing fits, and is asked again
  std::function<Variable<float>(Call<float>&)> in_float;
  std::function<Variable<double>(Call<double>&)> in_double;
  int weight = 4;               // how often it is drawn, beside the others
  bool is_shaped = false;       // Instruction::shape counts
  bool is_checkable = true;     // its derivative is what differences see
  bool keeps_gradient = false;  // of the variable that it gives

  ProgramOp& often(int times) { return weight = times, *this; }
  ProgramOp& shaped() { return is_shaped = true, *this; }
  ProgramOp& keeping_gradient() { return keeps_gradient = true, *this; }
  ProgramOp& unlike_differences() { return is_checkable = false, *this; }
};

/// The table as it is filled: an entry from one generic callable.
struct ProgramOps {
  template <class F>
  ProgramOp& put(std::string name, ProgramOp::Drawn draw, F call) {
    return all.emplace_back(
        ProgramOp{.name = std::move(name), .draw = std::move(draw), .in_float = call, .in_double = call});
  }

  std::vector<ProgramOp> all;
};

/// Every op of autograd/ops.h.
void put_library_ops(ProgramOps& ops);

/// Leaves, what a program does with variables beside calling ops, and ops of the test's own.
void put_other_ops(ProgramOps& ops);

/// Both.
const std::vector<ProgramOp>& program_ops();

/// By name; throws Error if there is none.
const ProgramOp& op_named(std::string_view name);

}  // namespace glossa::programs
