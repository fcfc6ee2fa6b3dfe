#include "tests/autograd/programs/program_op.h"

#include <algorithm>

#include "autograd/check.h"

namespace glossa::programs {

const std::vector<ProgramOp>& program_ops() {
  static const std::vector<ProgramOp> ops = [] {
    std::vector<ProgramOp> all = library_ops();
    std::ranges::move(other_ops(), std::back_inserter(all));
    return all;
  }();
  return ops;
}

const ProgramOp& op_named(std::string_view name) {
  const auto op = std::ranges::find(program_ops(), name, &ProgramOp::name);
  check(op != program_ops().end(), "program", "expected the name of an op; got {}", name);
  return *op;
}

}  // namespace glossa::programs
