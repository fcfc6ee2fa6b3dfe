#include "python/binding/arguments.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <utility>

#include "base/check.h"
#include "python/binding/array.h"

namespace glossa::python {

namespace {

/// Converts the object to a contiguous array of T. The kind of its numbers, one of NumPy's letters, must be in `kinds`.
template <class T>
nb::ndarray<T, nb::ro, nb::c_contig, nb::device::cpu> converted(const char* where, nb::handle object, const char* kinds,
                                                                const char* type, const char* expected) {
  const nb::object array = as_array(object);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  const bool is_empty = nb::cast<std::size_t>(array.attr("size")) == 0;  // NumPy gives an empty list the kind of floats
  if (!is_empty && std::string_view(kinds).find(kind) == std::string_view::npos)
    misuse(where, "expected {}; got an array of {}", expected, string_of(array.attr("dtype")));
  return nb::cast<nb::ndarray<T, nb::ro, nb::c_contig, nb::device::cpu>>(
      nb::module_::import_("numpy").attr("ascontiguousarray")(array.attr("astype")(type)));
}

template <class Array>
std::vector<Index> extents_of(const Array& array) {
  std::vector<Index> extents;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) extents.push_back(static_cast<Index>(array.shape(axis)));
  return extents;
}

template <class T>
std::vector<T> integers(const char* where, nb::handle object) {
  std::vector<T> numbers;
  const auto add = [&](nb::handle number) {
    if (!PyIndex_Check(number.ptr())) misuse(where, "expected an int or several; got {}", string_of(nb::repr(object)));
    const Index given = PyNumber_AsSsize_t(number.ptr(), PyExc_OverflowError);
    if (given == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    if (!std::in_range<T>(given)) misuse(where, "expected integers of {} bits; got {}", 8 * sizeof(T), given);
    numbers.push_back(static_cast<T>(given));
  };
  if (PySequence_Check(object.ptr()))
    for (const nb::handle number : object) add(number);
  else
    add(object);
  return numbers;
}

}  // namespace

Ids to_ids(const char* where, const IdsLike& ids) {
  const auto array = converted<std::int64_t>(where, ids.object, "iu", "int64", "integers");
  Ids result{.numbers = {}, .extents = extents_of(array)};
  result.numbers.reserve(array.size());
  const bool is_unsigned = nb::cast<std::string>(as_array(ids.object).attr("dtype").attr("kind")) == "u";
  for (std::size_t i = 0; i < array.size(); ++i) {
    const std::int64_t number = array.data()[i];
    if (is_unsigned && number < 0)  // the number wrapped around
      misuse(where, "expected integers of 32 bits; got {}", static_cast<std::uint64_t>(number));
    if (number != static_cast<int>(number)) misuse(where, "expected integers of 32 bits; got {}", number);
    result.numbers.push_back(static_cast<int>(number));
  }
  return result;
}

Flags to_flags(const char* where, const FlagsLike& flags) {
  const auto array = converted<bool>(where, flags.object, "b", "bool", "an array of bool");
  Flags result{.values = std::make_unique<bool[]>(array.size()), .extents = extents_of(array), .size = array.size()};
  std::copy_n(array.data(), array.size(), result.values.get());
  return result;
}

std::vector<int> to_axes(const char* where, const AxesLike& axes) { return integers<int>(where, axes.object); }

std::vector<Index> to_extents(const char* where, const AxesLike& extents) {
  return integers<Index>(where, extents.object);
}

Precision to_precision(const char* where, const DtypeLike& dtype) {
  const nb::object type = nb::module_::import_("numpy").attr("dtype")(dtype.object);
  const std::string given = nb::cast<std::string>(type.attr("name"));
  for (const Precision precision : {Precision::float32, Precision::float64})
    if (given == name(precision)) return precision;
  misuse(where, "expected float32 or float64; got {}", given);
}

}  // namespace glossa::python
