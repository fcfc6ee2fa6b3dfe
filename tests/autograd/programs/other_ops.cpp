#include <numeric>

#include "tests/autograd/programs/call.h"
#include "tests/autograd/programs/draw.h"
#include "tests/autograd/programs/own_ops.h"

namespace glossa::programs {

namespace {

Instruction any(Draw& d) { return {.operands = {d.any()}}; }
Instruction rows(Draw& d) { return {.operands = {d.any_with_axes(1)}}; }
Instruction new_leaf(Draw& d) { return {.numbers = {d.below(2), d.seed()}, .shape = {d.rows(), d.width()}}; }

/// Declared before the program is drawn, and used where an op needs their shape.
Instruction not_drawn(Draw&) { fail("draw", "expected an op that is drawn by itself"); }

}  // namespace

std::vector<ProgramOp> other_ops() {
  std::vector<ProgramOp> ops;
  const auto put = [&](ProgramOp op) { ops.push_back(std::move(op)); };

  // ---- leaves; numbers: positive?, seed ----
  put(program_op("input", new_leaf, [](auto& c) { return c.context().input(c.leaf()); }).shaped().keeping_gradient());
  put(program_op("constant", new_leaf, [](auto& c) { return c.context().constant(c.leaf()); }).shaped().often(1));
  // The value is empty. Numbers: rows of the first of two parts (0: it has none), frozen?, seed.
  put(program_op("declare", not_drawn, [](auto& c) { return c.context().constant({nullptr, Shape{0}}); }).shaped());
  put(program_op("parameter", not_drawn, [](auto& c) {
        return c.context().parameter(c.leaves().whole(c.operand(0)));
      }).keeping_gradient());
  put(program_op("part", not_drawn, [](auto& c) {
        return c.context().parameter(c.leaves().part(c.operand(0), c.number(0)));
      }).keeping_gradient());

  // ---- what is done with a variable; each gives the variable again ----
  put(program_op("value", any,
                 [](auto& c) {
                   c.hold(c[0].value());
                   return c[0];
                 })
          .often(16)
          .unlike_differences());
  put(program_op("retain_grad", any,
                 [](auto& c) {
                   c[0].retain_grad();
                   return c[0];
                 })
          .often(8)
          .keeping_gradient()
          .unlike_differences());
  // Numbers: is the graph kept?, seed of the cotangent.
  put(program_op(
          "backward",
          [](Draw& d) {
            return Instruction{.operands = {d.requiring_grad()}, .numbers = {1, d.seed()}};
          },
          [](auto& c) {
            c.backward(c[0], c.cotangent(1, c[0].shape()), c.number(0) != 0);
            return c[0];
          })
          .unlike_differences());
  put(program_op("constant_of", any, [](auto& c) { return c.context().constant(c[0].value()); }).unlike_differences());

  // ---- own ops ----
  put(program_op("giving_square", any, [](auto& c) { return giving_square(c[0]); }));
  put(program_op("holding_scratch", rows, [](auto& c) { return holding_scratch(c[0], c.complaint()); }));
  put(program_op("misshapen_sum", rows, [](auto& c) { return misshapen_sum(c[0], c.complaint()); })
          .often(1)
          .unlike_differences());
  return ops;
}

}  // namespace glossa::programs
