#include "python/binding/operand.h"

#include <optional>

#include "autograd/ops.h"
#include "base/check.h"
#include "python/binding/array.h"

namespace glossa::python {

namespace {

bool is_number(nb::handle object) { return PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr()); }

/// True for lists and tuples, whose numbers do not have a fixed precision.
bool is_list(nb::handle object) { return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()); }

using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

[[noreturn]] void refuse_object(const char* where, nb::handle object) {
  const std::string type = string_of(nb::handle(Py_TYPE(object.ptr())).attr("__name__"));
  misuse(where,
         "expected a Variable, a Parameter, a number, or an array of float32, float64, integers or bool; got {}{}",
         nb::hasattr(object, "dtype") ? "an array of " + string_of(object.attr("dtype")) : type,
         type == "CrossEntropy" ? ". Hint: its mean or its sum is a Variable" : "");
}

/// Returns the object as a contiguous array, without converting its numbers.
AnyArray contiguous(const char* where, nb::handle object) {
  AnyArray array;
  if (!is_list(object) && nb::try_cast(object, array)) return array;
  if (nb::try_cast(as_array(object), array)) return array;
  refuse_object(where, object);
}

template <class Given>
std::optional<Precision> precision_of_numbers(const Given& array) {
  if (array.dtype() == nb::dtype<float>()) return Precision::float32;
  if (array.dtype() == nb::dtype<double>()) return Precision::float64;
  return {};
}

template <class T>
Tensor<T> copied(const char* where, Context<T>& context, const AnyArray& array) {
  const Tensor<T> copy = context.tensor(shape_of(where, array));
  std::copy_n(static_cast<const T*>(array.data()), copy.size(), copy.data);
  return copy;
}

/// Copies the numbers of an array or list to the step's memory.
template <class T>
Tensor<T> array_in_step(const char* where, Step& step, const Operand& operand) {
  const nb::object& object = operand.object;
  const AnyArray array = contiguous(where, object);
  const std::optional<Precision> own = precision_of_numbers(array);
  if (own == precision_of<T>) return copied<T>(where, step.context<T>(), array);
  const bool is_weak = operand.is_weak || is_list(object) || array.ndim() == 0;
  if (own && !is_weak) refuse_precision(where, precision_of<T>, name(*own));
  const nb::dlpack::dtype type = array.dtype();
  const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
  using Code = nb::dlpack::dtype_code;
  if (!own && code != Code::Int && code != Code::UInt && code != Code::Bool) refuse_object(where, object);
  return copied<T>(where, step.context<T>(), contiguous(where, as_array(object).attr("astype")(name(precision_of<T>))));
}

/// Returns a parameter as a variable. If the parameter has parts, the parts own its gradient, and the variable joins
/// them.
template <class T>
Variable<T> whole(Context<T>& context, Parameter<T>& parameter) {
  if (parameter.parts.empty()) return context.parameter(parameter);
  std::vector<Variable<T>> parts;
  for (Parameter<T>* part : parameter.parts) parts.push_back(context.parameter(*part));
  return concat(parts, 0);
}

}  // namespace

Precision common_precision(std::span<const Operand> operands) {
  std::optional<Precision> of_scalar;  // precision of the first array without axes
  for (const auto& [object, is_weak] : operands) {
    if (is_weak || object.is_none()) continue;
    if (const Value* value = nullptr; nb::try_cast(object, value)) return value->precision();
    if (const BoundParameter* parameter = nullptr; nb::try_cast(object, parameter))
      return parameter->store->precision();
    if (is_number(object) || is_list(object)) continue;
    if (nb::ndarray<nb::ro, nb::device::cpu> array; nb::try_cast(object, array)) {
      const std::optional<Precision> precision = precision_of_numbers(array);
      if (precision && array.ndim() > 0) return *precision;
      if (!of_scalar) of_scalar = precision;
    }
  }
  return of_scalar.value_or(Precision::float64);
}

template <class T>
Variable<T> as_variable(const char* where, Step& step, const Operand& operand) {
  const nb::object& object = operand.object;
  if (object.is_none()) refuse_object(where, object);  // nanobind would cast it to null
  if (const Value* value = nullptr; nb::try_cast(object, value)) return value->get<T>(where);
  if (const BoundParameter* parameter = nullptr; nb::try_cast(object, parameter)) {
    Parameter<T>* const* own = std::get_if<Parameter<T>*>(&parameter->parameter);
    if (own == nullptr) refuse_precision(where, precision_of<T>, name(parameter->store->precision()));
    step.keep(parameter->store);
    return whole(step.context<T>(), **own);
  }
  if (is_number(object)) {
    const double number = PyFloat_AsDouble(object.ptr());
    if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return full(step.context<T>(), {}, number);
  }
  return step.context<T>().constant(array_in_step<T>(where, step, operand));
}

template <class T>
Variable<T> as_input(const char* where, Step& step, const Operand& operand) {
  return step.context<T>().input(array_in_step<T>(where, step, operand));
}

#define GLOSSA_INSTANTIATE(T)                                           \
  template Variable<T> as_variable(const char*, Step&, const Operand&); \
  template Variable<T> as_input(const char*, Step&, const Operand&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa::python
