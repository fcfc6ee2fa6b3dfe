#include "tests/autograd/programs/shorten.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "tests/autograd/programs/program_op.h"
#include "tests/autograd/programs/run.h"

namespace glossa::programs {

namespace {

/// The lines with changed sizes.
Program resized(Program program, Index from, Index to) {
  for (Instruction& line : program.lines) {
    for (int axis = 0; axis < line.shape.rank(); ++axis)
      if (line.shape[axis] == from) line.shape = line.shape.with(axis, to);
    if (line.op->name == "declare" && line.numbers[0] == from) line.numbers[0] = static_cast<int>(to);
  }
  return program;
}

class Shortening {
 public:
  Shortening(Program program, const std::function<bool(const Program&)>& fails, double seconds)
      : program_(std::move(program)),
        fails_(fails),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds))) {}

  Program result() {
    while (drop() || bypass() || make_leaves() || resize() || reduce_numbers()) {
    }
    return program_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  /// Takes the candidate if it also fails. A candidate that cannot be run does not count as failing.
  bool take(const Program& candidate) {
    try {
      if (Clock::now() > end_ || !fails_(candidate)) return false;
    } catch (const Error&) {
      return false;
    }
    program_ = candidate;
    return true;
  }

  int last() const { return static_cast<int>(std::ssize(program_.lines)) - 1; }

  bool drop() {
    bool any = false;
    if (program_.steps > 1) {
      Program once = program_;
      once.steps = 1;
      any = take(once);
    }
    for (int i = last(); i >= 0; i = std::min(i - 1, last())) any |= take(without(program_, i));
    return any;
  }

  bool bypass() {
    for (int i = last(); i >= 0; --i)
      for (const int operand : program_.lines[i].operands)
        if (take(without(program_, i, operand))) return true;
    return false;
  }

  bool make_leaves() {
    Leaves<double> leaves(program_);
    Context<double> context;
    context.set_reuse(false);
    Run<double> run(program_, leaves, context);
    run.begin(0);
    for (int i = 0; i <= last(); ++i) run.execute(i);
    for (int i = last(); i >= 0; --i) {
      if (program_.lines[i].operands.empty() || !run.has(i)) continue;
      Program candidate = program_;
      candidate.lines[i] = {&op_named("input"), {}, {0, i}, run.variable(i).shape()};
      if (take(candidate)) return true;
    }
    return false;
  }

  bool resize() {
    std::set<Index, std::greater<>> extents;
    for (const Instruction& line : program_.lines)
      for (int axis = 0; axis < line.shape.rank(); ++axis) extents.insert(line.shape[axis]);
    for (const Index extent : extents)
      for (const Index smaller : {Index{1}, Index{2}, extent / 2, extent - 1})
        if (smaller < extent && smaller > 0 && take(resized(program_, extent, smaller))) return true;
    return false;
  }

  bool reduce_numbers() {
    for (int i = 0; i <= last(); ++i)
      for (std::size_t k = 0; k < program_.lines[i].numbers.size(); ++k)
        if (program_.lines[i].numbers[k] > 0) {
          Program candidate = program_;
          candidate.lines[i].numbers[k] = 0;
          if (take(candidate)) return true;
        }
    return false;
  }

  Program program_;
  const std::function<bool(const Program&)>& fails_;
  const Clock::time_point end_;
};

}  // namespace

Program shortened(Program program, const std::function<bool(const Program&)>& fails, double seconds) {
  return Shortening(std::move(program), fails, seconds).result();
}

}  // namespace glossa::programs
