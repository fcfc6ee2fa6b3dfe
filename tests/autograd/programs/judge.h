#pragma once

#include <string>
#include <vector>

#include "tests/autograd/programs/program.h"

namespace glossa::programs {

/// What a program showed.
struct Verdict {
  std::string complaint;       // empty: nothing is wrong
  Index compared = 0;          // numbers
  Index refused = 0;           // attempts to read a value whose memory had gone on to something else
  std::vector<bool> executed;  // beside the lines: whether the last step with reuse came to a result
};

/// Runs a program with reuse of memory and without, on the same numbers, in float or else in double. Both must see the
/// same bits and the same Errors, but for what the engine may refuse (see Run).
Verdict judge(const Program& program, bool in_float);

/// The gradients of the last line beside differences: the largest error, relative to at least 0.1. 0 if there is
/// nothing to compare.
double error_by_differences(const Program& program);

}  // namespace glossa::programs
