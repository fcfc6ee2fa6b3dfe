#include "python/binding/initializer.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "layers/init.h"
#include "python/binding/array.h"

namespace glossa::python {

namespace {

constexpr const char* expected_kind =
    "expected \"zeros\", \"ones\", \"constant\", \"uniform\", \"normal\" or \"xavier_uniform\", a pair of a kind and "
    "its "
    "scale such as (\"normal\", 0.02), or an array; got {}";

Initializer initializer_of(const char* where, const std::string& kind, double scale) {
  if (kind == "zeros") return init::constant(0);
  if (kind == "ones") return init::constant(1);
  if (kind == "constant") return init::constant(scale);
  if (kind == "uniform") return init::uniform(scale);
  if (kind == "normal") return init::normal(scale);
  if (kind == "xavier_uniform") return init::xavier_uniform(scale);
  misuse(where, expected_kind, kind);
}

/// Copies the numbers of an array, for a parameter of the same shape.
Initializer copy_of(const char* where, nb::handle given) {
  nb::ndarray<const double, nb::c_contig, nb::device::cpu> array;
  const nb::object numpy = nb::module_::import_("numpy");
  if (!nb::try_cast(numpy.attr("ascontiguousarray")(given, "float64"), array))
    misuse(where, expected_kind, string_of(nb::repr(given)));
  const Shape shape = shape_of(where, array);
  const std::vector<double> numbers(array.data(), array.data() + array.size());
  return [numbers, shape, place = std::string(where)](std::span<double> values, const Shape& expected, RandomStream&) {
    if (shape != expected) misuse(place, "expected initial values of shape {}; got {}", expected, shape);
    std::ranges::copy(numbers, values.begin());
  };
}

}  // namespace

Initializer to_initializer(const char* where, nb::handle given) {
  if (std::string kind; nb::try_cast(given, kind)) return initializer_of(where, kind, 1);
  if (PyTuple_Check(given.ptr())) {
    const nb::tuple pair = nb::borrow<nb::tuple>(given);
    std::string kind;
    double scale = 0;
    if (pair.size() != 2 || !nb::try_cast(pair[0], kind) || !nb::try_cast(pair[1], scale))
      misuse(where, expected_kind, string_of(nb::repr(given)));
    return initializer_of(where, kind, scale);
  }
  return copy_of(where, given);
}

}  // namespace glossa::python
