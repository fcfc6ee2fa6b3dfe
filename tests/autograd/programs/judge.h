#pragma once

#include <string>
#include <vector>

#include "tests/autograd/programs/program.h"

namespace glossa::programs {

/// Results of a program.
struct Verdict {
  std::string complaint{};       // empty: nothing is wrong
  Program ran{};                 // the program without lines that the engine refused
  std::vector<bool> executed{};  // beside its lines: true if the last step produced a result
  Index compared = 0;            // numbers
  Index refused = 0;             // attempts to read a value whose memory had been reused
};

/// Runs a program with and without reuse of memory on the same numbers, in float or else in double. Both must see the
/// same bits and Errors, with one exception: with reuse, the engine may refuse to read a value whose memory it reused.
/// A refused line is left out of both runs.
Verdict judge(const Program& program, bool in_float);

/// Compares the gradients of the last line with differences: the largest error, relative to at least 0.1. For a program
/// that no run refuses.
double error_by_differences(const Program& program);

}  // namespace glossa::programs
