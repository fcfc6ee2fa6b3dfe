#pragma once

#include <string>
#include <vector>

#include "tests/autograd/programs/program.h"

namespace glossa::programs {

/// Results of running a program with and without reuse of memory.
struct Comparison {
  std::string complaint{};       // empty if nothing is wrong
  Program ran{};                 // the program without lines that the engine refused
  std::vector<bool> executed{};  // for each of its lines: true if the last step produced a result
  Index compared = 0;            // number of compared numbers
  Index refused = 0;             // attempts to read a value whose memory had been reused
};

/// The numbers of a run: double, float, or float with products in bf16.
enum class Form { in_double, in_float, in_bf16 };

/// Runs a program on the same numbers with reuse of memory on `team` threads, and without reuse on one thread. Both
/// runs must observe the same bits and Errors, with one exception: with reuse, the engine may refuse to read a value
/// whose memory was reused. Both runs omit a refused line.
Comparison compare_runs(const Program& program, Form form, int team = 1);

/// Compares the gradients of the last line with finite differences. Returns the largest error relative to the gradient,
/// or to 0.1 if that is larger. For programs without refused lines.
double error_by_differences(const Program& program);

}  // namespace glossa::programs
