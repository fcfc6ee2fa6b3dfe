#include "python/binding/variable.h"

#include <nanobind/stl/string.h>

#include "autograd/ops.h"
#include "python/binding/array.h"
#include "python/binding/bindings.h"
#include "python/binding/indexing.h"

namespace glossa::python {

using nb::literals::operator""_a;

void backward(const Value& root, const std::optional<Operand>& cotangent, bool keep_graph) {
  const std::shared_ptr<Step>& step = root.step("backward");
  root.visit("backward", [&]<class T>(const Variable<T>& variable) {
    std::optional<Variable<T>> direction;
    if (cotangent) direction = as_variable<T>("backward", *step, *cotangent);
    const ComputingInStep computing(*step, StoreUse::Kind::write_gradients);
    if (direction)
      variable.context().backward(variable, direction->value(), keep_graph);
    else
      variable.context().backward(variable, keep_graph);
  });
}

double number_of(const Value& value) {
  if (value.shape().size() != 1)
    misuse("item", "expected a variable with one element; got shape {}. Hint: numpy() copies all", value.shape());
  return value.visit("item", [](const auto& variable) { return static_cast<double>(variable.value().data[0]); });
}

namespace {

nb::object numbers_of(const Value& value) {
  return value.visit("numpy", [](const auto& variable) { return nb::cast(to_array(variable.value())); });
}

nb::object copied_gradient(const Value& value) {
  return value.visit("grad", []<class T>(const Variable<T>& variable) {
    return nb::cast(to_array(Tensor<const T>(variable.grad())));
  });
}

/// Returns the copy that NumPy requests (__array__), converted to `dtype` if that is given.
nb::object as_numpy(const Value& value, const nb::object& dtype, const nb::object& copy) {
  if (copy.is(nb::handle(Py_False)))
    throw nb::value_error("a glossa.Variable cannot be shared, only copied: its memory ends with the step");
  const nb::object numbers = numbers_of(value);
  if (value.visit("__array__", [](const auto& variable) { return variable.requires_grad(); }))
    misuse("variable",
           "expected a function of glossa for a variable with a gradient; got one of NumPy, through which no gradient "
           "flows. Hint: glossa has sum, exp, where, concat and others; x.numpy() copies the numbers");
  return dtype.is_none() ? numbers : numbers.attr("astype")(dtype);
}

/// Returns the object with each Variable replaced by its numbers, also in lists and tuples.
nb::object with_numbers(nb::handle object) {
  if (nb::isinstance<Value>(object)) return as_numpy(nb::cast<const Value&>(object), nb::none(), nb::none());
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr())) return nb::borrow(object);
  nb::list elements;
  for (const nb::handle element : object) elements.append(with_numbers(element));
  return PyList_Check(object.ptr()) ? nb::object(elements) : nb::tuple(elements);
}

/// Computes NumPy's function(*arguments, **options), as NumPy requests if an argument is a Variable.
nb::object call_numpy(const Value&, const nb::object& function, const nb::object&, const nb::tuple& arguments,
                      const nb::dict& options) {
  nb::dict given;
  for (const auto [name, option] : options) given[name] = with_numbers(option);
  return function(*with_numbers(arguments), **given);
}

/// Shows the numbers only if there are few, because reading them keeps the value's memory.
std::string text_of(const Value& value) {
  constexpr Index few = 16;
  const auto head = fmt::format("<glossa.Variable {} {}", value.shape(), name(value.precision()));
  if (!Step::is_current(value.owner())) return head + ", of a step that has ended>";
  if (value.shape().size() > few) return head + ">";
  return fmt::format("{}: {}>", head, nb::cast<std::string>(nb::str(numbers_of(value))));
}

/// Handles x.reshape(2, 3) and x.reshape((2, 3)).
Value reshaped(const Operand& x, const nb::args& shape) {
  const nb::object all = shape.size() == 1 ? nb::object(shape[0]) : nb::object(shape);
  const std::vector<Index> extents = to_extents("reshape", {all});
  return compute(
      "reshape", [&](auto& v) { return reshape(v, std::span<const Index>(extents)); }, x);
}

/// Reverses all axes, as NumPy's `.T` does.
Value reversed(const Operand& x) {
  return compute(
      "transpose",
      [](auto& v) {
        std::vector<int> axes;
        for (int axis = v.shape().rank(); axis-- > 0;) axes.push_back(axis);
        return permute(v, Axes(axes));
      },
      x);
}

/// Returns a Variable's numbers, or another object unchanged.
nb::object without_gradient(const nb::object& object) {
  const Value* value = nullptr;
  return nb::try_cast(object, value) && value != nullptr ? numbers_of(*value) : object;
}

/// Defines comparisons of numbers. They have no gradient and return arrays of bool.
void def_comparisons(nb::class_<Value> variable) {
  constexpr std::pair<const char*, int> operators[] = {{"__eq__", Py_EQ}, {"__ne__", Py_NE}, {"__lt__", Py_LT},
                                                       {"__le__", Py_LE}, {"__gt__", Py_GT}, {"__ge__", Py_GE}};
  for (const auto& [name, op] : operators)
    variable.def(
        name,
        [op = op](const Value& x, const nb::object& other) {
          PyObject* const result = PyObject_RichCompare(numbers_of(x).ptr(), without_gradient(other).ptr(), op);
          if (result == nullptr) throw nb::python_error();
          return nb::steal(result);
        },
        "other"_a.none(), nb::sig(fmt::format("def {}(self, other: object) -> typing.Any", name).c_str()));
  variable.def("__hash__", [](nb::handle x) { return reinterpret_cast<std::intptr_t>(x.ptr()) >> 4; });
}

/// Defines operators and methods of Variable and Parameter.
template <class Class>
void def_operators(nb::class_<Class> type) {
  // Makes NumPy's arrays leave operators to the object on their right.
  type.attr("__array_ufunc__") = nb::none();
  const auto both = [&](const char* name, const char* reflected, const char* op, auto f) {
    type.def(
        name, [=](const Class& a, const Operand& b) { return compute(op, f, Operand{nb::cast(a)}, b); },
        nb::is_operator());
    type.def(
        reflected, [=](const Class& a, const Operand& b) { return compute(op, f, b, Operand{nb::cast(a)}); },
        nb::is_operator());
  };
  both("__add__", "__radd__", "add", [](auto& a, auto& b) { return add(a, b); });
  both("__sub__", "__rsub__", "sub", [](auto& a, auto& b) { return sub(a, b); });
  both("__mul__", "__rmul__", "mul", [](auto& a, auto& b) { return mul(a, b); });
  both("__truediv__", "__rtruediv__", "div", [](auto& a, auto& b) { return div(a, b); });
  both("__matmul__", "__rmatmul__", "matmul", [](auto& a, auto& b) { return matmul(a, b); });
  type.def("__neg__",
           [](const Class& x) {
             return compute(
                 "neg", [](auto& v) { return neg(v); }, Operand{nb::cast(x)});
           })
      .def("__pow__",
           [](const Class& x, double exponent) {
             return compute(
                 "pow", [=](auto& v) { return pow(v, exponent); }, Operand{nb::cast(x)});
           })
      .def("__abs__",
           [](const Class& x) {
             return compute(
                 "abs", [](auto& v) { return abs(v); }, Operand{nb::cast(x)});
           })
      .def(
          "__getitem__",
          [](const Class& x, const nb::object& index) { return element({nb::cast(x)}, x.shape(), index); },
          "index"_a.none())
      .def(
          "reshape", [](const Class& x, const nb::args& shape) { return reshaped({nb::cast(x)}, shape); },
          nb::sig("def reshape(self, *shape: glossa.typing.AxesLike) -> Variable"),
          "The same elements in another shape; one extent may be -1")
      .def_prop_ro(
          "T", [](const Class& x) { return reversed({nb::cast(x)}); }, "The axes in reverse order");
}

}  // namespace

void add_variable(nb::module_& m) {
  nb::class_<Value> variable(m, "Variable",
                             "A value of a step, and its place on the tape. It ends with the step; `numpy()`, `item()` "
                             "and `grad` copy numbers that stay. Operators broadcast by NumPy's rule.");
  variable
      .def_prop_ro(
          "shape", [](const Value& x) { return to_tuple(x.shape()); }, "The extents")
      .def_prop_ro(
          "ndim", [](const Value& x) { return x.shape().rank(); }, "The number of axes")
      .def_prop_ro(
          "size", [](const Value& x) { return x.shape().size(); }, "The number of elements")
      .def_prop_ro(
          "dtype", [](const Value& x) { return nb::module_::import_("numpy").attr("dtype")(name(x.precision())); },
          nb::sig("def dtype(self) -> numpy.dtype"), "numpy.float32 or numpy.float64")
      .def_prop_ro(
          "requires_grad",
          [](const Value& x) { return x.visit("requires_grad", [](auto& v) { return v.requires_grad(); }); },
          "True if a gradient flows here")
      .def("numpy", numbers_of, nb::sig("def numpy(self) -> glossa.typing.Array"), "A copy of the numbers")
      .def("item", number_of, "The number of a variable with one element")
      .def("__float__", number_of)
      .def("__int__", [](const Value& x) { return static_cast<long long>(number_of(x)); })
      .def("__format__",
           [](const Value& x, const std::string& format) {
             const nb::object number = format.empty() ? nb::object(nb::cast(text_of(x))) : nb::cast(number_of(x));
             return nb::cast<std::string>(number.attr("__format__")(format));
           })
      .def("__array__", as_numpy, "dtype"_a = nb::none(), "copy"_a = nb::none(),
           nb::sig("def __array__(self, dtype: glossa.typing.DtypeLike | None = None, copy: bool | None = None) -> "
                   "glossa.typing.Array"))
      .def("__array_function__", call_numpy,
           nb::sig("def __array_function__(self, function: typing.Any, types: typing.Any, "
                   "arguments: typing.Any, options: typing.Any) -> typing.Any"))
      .def("__repr__", text_of)
      .def("__len__",
           [](const Value& x) {
             if (x.shape().rank() == 0) throw nb::type_error("a Variable without axes has no length");
             return x.shape()[0];
           })
      .def("__bool__",
           [](const Value&) -> bool {
             throw nb::type_error("a Variable has no truth value. Hint: compare numbers, as x.item() > 0");
           })
      .def_prop_ro("grad", copied_gradient, nb::sig("def grad(self) -> glossa.typing.Array"),
                   "A copy of the gradient, after backward. Only leaves, and variables after retain_grad, have it.")
      .def(
          "retain_grad", [](const Value& x) { x.visit("retain_grad", [](auto& v) { v.retain_grad(); }); },
          "Keeps the gradient of a variable that is not a leaf; call it before backward")
      .def("backward", backward, "cotangent"_a = nb::none(), nb::kw_only(), "keep_graph"_a = false,
           "Computes all gradients. A root with several elements needs a cotangent of its shape.");

  variable.def(
      "detach",
      [](const Value& x) {
        return compute(
            "detach", [](auto& v) { return stop_gradient(v); }, Operand{nb::cast(x)});
      },
      "The value without its history: no gradient flows back");
  def_operators(variable);
  def_comparisons(variable);
  def_operators(nb::borrow<nb::class_<BoundParameter>>(m.attr("Parameter")));
}

}  // namespace glossa::python
