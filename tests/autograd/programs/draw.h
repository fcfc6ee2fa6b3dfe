#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "tests/autograd/programs/program_op.h"
#include "tests/autograd/programs/run.h"

namespace glossa::programs {

/// Sizes of programs to draw.
struct Size {
  int lines;                    // number of drawn lines; the leaves they need are added
  std::span<const Index> rows;  // extents of matrices; half of a program's have the same
  std::span<const Index> widths;
  bool checkable = false;  // only ops that differences can check
};

/// `mixed_sizes` are on both sides of the engine's special cases; `small_sizes` allow quick checks by finite
/// differences.
extern const Size mixed_sizes, small_sizes;

/// Draws a program and, at the same time, runs it without reuse of memory. So shapes are known from the variables, and
/// a line is kept only if no op refuses it and its numbers stay moderate.
class Draw {
 public:
  Draw(std::uint64_t seed, const Size& size);

  const Program& program();

  // --- For the entries of the table: these return indices of lines ---

  int any();                             ///< a variable, preferably a late one
  int any_with_axes(int min_rank);       ///< a variable with at least this many axes
  int matrix();                          ///< a variable of two axes
  int of(const Shape& shape);            ///< of that shape: an existing variable, a new result, or a leaf
  int positive(const Shape& shape);      ///< a variable whose numbers are away from 0
  int broadcasting(const Shape& shape);  ///< a variable that broadcasts to the shape
  int branch(const Shape& shape);        ///< preferably the unread result of a linear op
  int requiring_grad();

  const Shape& shape(int line) const { return run_.variable(line).shape(); }
  Index rows() { return one_in(2) ? rows_ : one_of(size_.rows); }
  Index width() { return one_in(2) ? width_ : one_of(size_.widths); }
  std::vector<int> layout(Index rows);  ///< the two numbers of Call::layout

  int below(Index n) {
    check(n > 0, "draw", "expected something to choose from; got nothing");
    return static_cast<int>(random_.below(static_cast<std::uint64_t>(n)));
  }
  bool one_in(Index n) { return below(n) == 0; }
  int seed() { return below(100); }

 private:
  void draw_lines(int count);
  int add(const char* op, Instruction line);
  int add(const ProgramOp& op, Instruction line);
  int leaf(const Shape& shape);
  template <class Fits>
  std::optional<int> find(const Fits& fits);
  std::optional<int> projectable(Index rows);  // a matrix with `rows` rows
  Index one_of(std::span<const Index> values) { return values[random_.below(values.size())]; }
  Program declarations();

  RandomStream random_;
  const Size& size_;
  const Index rows_, width_;
  Program program_;
  Leaves<double> leaves_;
  Context<double> context_;
  Run<double> run_;
};

}  // namespace glossa::programs
