#include <nanobind/stl/string.h>

#include "autograd/ops.h"
#include "python/binding/array.h"
#include "python/binding/bindings.h"
#include "python/binding/define.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

using MaybeAxes = std::optional<AxesLike>;

/// If `keepdims`, reshapes `y` to have as many axes as `x`, each of extent 1.
template <class T>
Variable<T> kept(const Variable<T>& x, const Variable<T>& y, bool keepdims) {
  const std::vector<Index> ones(static_cast<std::size_t>(x.shape().rank()), 1);
  return keepdims ? reshape(y, Shape(ones)) : y;
}

/// Reduces over all elements with f(x), or over axes with f(x, axes, keepdims).
template <class F>
Value reduce(const char* op, const Operand& x, const MaybeAxes& axis, bool keepdims, const F& f) {
  if (!axis)
    return compute(
        op, [&](auto& v) { return kept(v, f(v), keepdims); }, x);
  const std::vector<int> axes = to_axes(op, *axis);
  return compute(
      op, [&](auto& v) { return f(v, Axes(axes), keepdims); }, x);
}

/// Reduces over all elements, or over one axis with f(x, axis, keepdims).
template <class F>
Value reduce_one(const char* op, const Operand& x, std::optional<int> axis, bool keepdims, const F& f) {
  if (!axis)
    return compute(
        op, [&](auto& v) { return kept(v, f(v), keepdims); }, x);
  return compute(
      op, [&](auto& v) { return f(v, *axis, keepdims); }, x);
}

/// Returns the index of the largest element along an axis, as an array without that axis.
Array<int> indices_of_largest(const Operand& x, int axis) {
  std::vector<int> indices;
  Shape shape;
  compute(
      "argmax",
      [&](auto& v) {
        const std::span<const int> found = argmax(v, axis);
        indices.assign(found.begin(), found.end());
        shape = v.shape().without(v.shape().axis(axis, "argmax"));
        return v;
      },
      x);
  return to_array(indices, shape);
}

}  // namespace

void add_reductions(nb::module_& m) {
  def_with_method(
      m, "sum",
      [](const Operand& x, const MaybeAxes& axis, bool keepdims) {
        return reduce("sum", x, axis, keepdims, [](const auto&... given) { return sum(given...); });
      },
      "axis"_a = nb::none(), "keepdims"_a = false, "The sum over all elements, an axis or several axes");
  def_with_method(
      m, "mean",
      [](const Operand& x, const MaybeAxes& axis, bool keepdims) {
        return reduce("mean", x, axis, keepdims, [](const auto&... given) { return mean(given...); });
      },
      "axis"_a = nb::none(), "keepdims"_a = false, "The mean over all elements, an axis or several axes");
  def_with_method(
      m, "max",
      [](const Operand& x, std::optional<int> axis, bool keepdims) {
        return reduce_one("max", x, axis, keepdims, [](const auto&... given) { return max(given...); });
      },
      "axis"_a = nb::none(), "keepdims"_a = false,
      "The largest element, of all or along an axis; the first of several equal ones gets the gradient");
  constexpr const char* largest =
      "The index of the largest element along an axis, as an array; the first of several equal ones counts";
  m.def("argmax", indices_of_largest, "x"_a, "axis"_a,
        nb::sig("def argmax(x: glossa.typing.Operand, axis: int) -> glossa.typing.Indices"), largest);
  nb::borrow<nb::class_<Value>>(m.attr("Variable"))
      .def("argmax", indices_of_largest, "axis"_a, nb::sig("def argmax(self, axis: int) -> glossa.typing.Indices"),
           largest);
  def_with_method(
      m, "norm",
      [](const Operand& x, const MaybeAxes& axis, bool keepdims) {
        return reduce("norm", x, axis, keepdims, [](const auto&... given) { return norm(given...); });
      },
      "axis"_a = nb::none(), "keepdims"_a = false,
      "sqrt(sum(x^2)) over all elements, an axis or several axes; derivative 0 where the norm is 0");
  const auto spread = [&m](const char* name, const char* doc, auto f) {
    def_with_method(
        m, name,
        [name, f](const Operand& x, const MaybeAxes& axis, bool keepdims, int correction) {
          std::vector<int> axes = axis ? to_axes(name, *axis) : std::vector<int>();
          return compute(
              name,
              [&](auto& v) {
                if (!axis)
                  for (int i = 0; i < v.shape().rank(); ++i) axes.push_back(i);
                return f(v, Axes(axes), keepdims, correction);
              },
              x);
        },
        "axis"_a = nb::none(), "keepdims"_a = false, "correction"_a = 1, doc);
  };
  spread("var",
         "The variance: the sum of squared deviations from the mean, divided by N - correction for N elements. "
         "Correction 1 is PyTorch's default, 0 is NumPy's.",
         [](const auto&... given) { return var(given...); });
  spread("stddev", "sqrt(var(x)), `std` of PyTorch and NumPy; where it is 0, so is the derivative",
         [](const auto&... given) { return stddev(given...); });
}

}  // namespace glossa::python
