#include <nanobind/stl/vector.h>

#include "autograd/ops.h"
#include "python/binding/bindings.h"
#include "python/binding/define.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

std::vector<Operand> operands_of(const nb::typed<nb::sequence, Operand>& parts) {
  std::vector<Operand> operands;
  for (const nb::handle part : parts) operands.push_back({nb::borrow(part)});
  return operands;
}

/// Returns the parts of x that have the given lengths along an axis.
std::vector<Value> split_parts(const Operand& x, const std::vector<Index>& lengths, int axis) {
  const std::shared_ptr<Step> step = Step::current("split");
  return with_type(common_precision({&x, 1}), [&](auto type) {
    using T = decltype(type);
    const Variable<T> whole = as_variable<T>("split", *step, x);
    std::vector<Variable<T>> parts;
    {
      const ComputingInStep computing(*step, StoreUse::Kind::read_values);
      parts = split(whole, std::span<const Index>(lengths), axis);
    }
    std::vector<Value> values;
    for (const Variable<T>& part : parts) values.emplace_back(step, part);
    return values;
  });
}

}  // namespace

void add_shaping(nb::module_& m) {
  m.def(
      "reshape",
      [](const Operand& x, const AxesLike& shape) {
        const std::vector<Index> extents = to_extents("reshape", shape);
        return compute(
            "reshape", [&](auto& v) { return reshape(v, std::span<const Index>(extents)); }, x);
      },
      "x"_a, "shape"_a, "The same elements in another shape; one extent may be -1");
  def_with_method(
      m, "transpose",
      [](const Operand& x, int axis_a, int axis_b) {
        return compute(
            "transpose", [=](auto& v) { return transpose(v, axis_a, axis_b); }, x);
      },
      "axis_a"_a = -2, "axis_b"_a = -1, "Swaps two axes");
  def_with_method(
      m, "permute",
      [](const Operand& x, const AxesLike& axes) {
        const std::vector<int> order = to_axes("permute", axes);
        return compute(
            "permute", [&](auto& v) { return permute(v, Axes(order)); }, x);
      },
      "axes"_a, "Axis i of the result is axis axes[i] of x");
  m.def(
      "concat",
      [](const nb::typed<nb::sequence, Operand>& parts, int axis) {
        return compute_all("concat", operands_of(parts), [=](auto variables) { return concat(variables, axis); });
      },
      "parts"_a, "axis"_a = 0, "Joins along an axis; all other extents must agree");
  m.def("split", split_parts, "x"_a, "lengths"_a, "axis"_a = 0, "Pieces of the given lengths along an axis");
  m.def(
      "slice",
      [](const Operand& x, int axis, Index begin, Index end) {
        return compute(
            "slice", [=](auto& v) { return slice(v, axis, begin, end); }, x);
      },
      "x"_a, "axis"_a, "begin"_a, "end"_a,
      "Indices begin, ..., end - 1 of an axis. Unlike x[begin:end], an error if they are outside the axis.");
  m.def(
      "select",
      [](const Operand& x, int axis, Index index) {
        return compute(
            "select", [=](auto& v) { return select(v, axis, index); }, x);
      },
      "x"_a, "axis"_a, "index"_a, "The slice at `index` of an axis, without that axis");
  m.def(
      "stack",
      [](const nb::typed<nb::sequence, Operand>& parts, int axis) {
        return compute_all("stack", operands_of(parts), [=](auto variables) { return stack(variables, axis); });
      },
      "parts"_a, "axis"_a = 0, "Joins along a new axis; all shapes must agree");
  m.def(
      "full",
      [](const AxesLike& shape, double value, const DtypeLike& dtype) {
        const std::vector<Index> extents = to_extents("full", shape);
        const std::shared_ptr<Step> step = Step::current("full");
        return with_type(to_precision("full", dtype), [&](auto type) {
          return Value(step, full(step->context<decltype(type)>(), Shape(extents), value));
        });
      },
      "shape"_a, "value"_a, "dtype"_a = "float64", "A constant filled with `value`");
  m.def(
      "stop_gradient",
      [](const Operand& x) {
        return compute(
            "stop_gradient", [](auto& v) { return stop_gradient(v); }, x);
      },
      "x"_a, "The value without its history: no gradient flows back");
}

}  // namespace glossa::python
