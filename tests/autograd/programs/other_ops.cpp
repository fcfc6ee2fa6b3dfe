#include "tests/autograd/programs/call.h"
#include "tests/autograd/programs/draw.h"
#include "tests/autograd/programs/own_ops.h"

namespace glossa::programs {

namespace {

Instruction any(Draw& d) { return {.operands = {d.any()}}; }
Instruction with_rows(Draw& d) { return {.operands = {d.any_with_axes(1)}}; }
Instruction new_leaf(Draw& d) { return {.numbers = {d.below(2), d.seed()}, .shape = {d.rows(), d.width()}}; }

/// Numbers: 1 if the graph is kept, seed of the cotangent.
Instruction kept_graph(Draw& d) { return {.operands = {d.requiring_grad()}, .numbers = {1, d.seed()}}; }

/// Declared before the program is drawn, and used when an op needs their shape.
Instruction not_drawn(Draw&) { fail("draw", "expected an op that is drawn by itself; got another"); }

}  // namespace

void put_other_ops(ProgramOps& ops) {
  // ---- leaves; numbers: positive?, seed ----
  ops.put("input", new_leaf, [](auto& c) { return c.context().input(c.leaf()); }).shaped().keeping_gradient();
  ops.put("constant", new_leaf, [](auto& c) { return c.context().constant(c.leaf()); }).shaped().often(1);
  // The value is empty. Numbers: rows of the first of two parts (0: it has none), frozen?, seed.
  ops.put("declare", not_drawn, [](auto& c) { return c.context().constant({nullptr, Shape{0}}); }).shaped();
  ops.put("parameter", not_drawn, [](auto& c) { return c.context().parameter(c.leaves().whole(c.operand(0))); })
      .keeping_gradient();
  ops.put("part", not_drawn, [](auto& c) { return c.context().parameter(c.leaves().part(c.operand(0), c.number(0))); })
      .keeping_gradient();

  // ---- uses of a variable; each returns the variable ----
  const auto value = [](auto& c) {
    c.hold(c[0].value());
    return c[0];
  };
  ops.put("value", any, value).often(16).unlike_differences();
  const auto retain_grad = [](auto& c) {
    c[0].retain_grad();
    return c[0];
  };
  ops.put("retain_grad", any, retain_grad).often(8).keeping_gradient().unlike_differences();
  const auto backward = [](auto& c) {
    c.backward(c[0], c.cotangent(1, c[0].shape()), c.number(0) != 0);
    return c[0];
  };
  ops.put("backward", kept_graph, backward).unlike_differences();
  ops.put("constant_of", any, [](auto& c) { return c.context().constant(c[0].value()); }).often(8).unlike_differences();

  // ---- own ops ----
  ops.put("giving_square", any, [](auto& c) { return giving_square(c[0]); });
  ops.put("holding_scratch", with_rows, [](auto& c) { return holding_scratch(c[0], c.complaint()); });
  ops.put("misshapen_sum", with_rows, [](auto& c) { return misshapen_sum(c[0], c.complaint()); })
      .often(2)
      .unlike_differences();
}

}  // namespace glossa::programs
