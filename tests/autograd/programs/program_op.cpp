#include "tests/autograd/programs/program_op.h"

#include <algorithm>

#include "base/check.h"

namespace glossa::programs {

const std::vector<ProgramOp>& program_ops() {
  static const ProgramOps ops = [] {
    ProgramOps both;
    put_library_ops(both);
    put_other_ops(both);
    return both;
  }();
  return ops.all;
}

const ProgramOp& op_named(std::string_view name) {
  const auto op = std::ranges::find(program_ops(), name, &ProgramOp::name);
  check(op != program_ops().end(), "program", "expected the name of an op; got {}", name);
  return *op;
}

}  // namespace glossa::programs
