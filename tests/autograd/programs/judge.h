#pragma once

#include <string>
#include <vector>

#include "tests/autograd/programs/program.h"

namespace glossa::programs {

/// What a program showed.
struct Verdict {
  std::string complaint{};       // empty: nothing is wrong
  Program ran{};                 // the program without the lines that the engine refused
  std::vector<bool> executed{};  // beside its lines: whether the last step came to a result
  Index compared = 0;            // numbers
  Index refused = 0;             // attempts to read a value whose memory had gone on to something else
};

/// Runs a program with reuse of memory and without, on the same numbers, in float or else in double. Both must see the
/// same bits and the same Errors, with one exception: with reuse the engine may refuse to read a value whose memory it
/// gave on. A line that it refuses is left out of both runs.
Verdict judge(const Program& program, bool in_float);

/// The gradients of the last line beside differences: the largest error, relative to at least 0.1. Of a program that no
/// run refuses.
double error_by_differences(const Program& program);

}  // namespace glossa::programs
