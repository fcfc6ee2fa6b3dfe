#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <memory>
#include <span>
#include <vector>

#include "base/index.h"
#include "python/binding/store.h"

namespace glossa::python {

namespace nb = nanobind;

// Arguments that accept several kinds of objects. The functions that take them convert the objects; errors then name
// the function. In the stubs, their types are those with the same names in glossa/typing.py.

struct Operand {
  nb::object object;     ///< a Variable, a Parameter, an array, nested lists of numbers, or a number
  bool is_weak = false;  ///< true: an array whose numbers take the type of the other operands
};
struct IdsLike {
  nb::object object;  ///< an array of integers, or nested lists of integers
};
struct FlagsLike {
  nb::object object;  ///< an array of bool, or nested lists of bool
};
struct AxesLike {
  nb::object object;  ///< an int or a sequence of ints
};

struct RowsLike {
  nb::object object;  ///< Rows, a Pack (for its rows), or the lengths of packed sequences
};

struct DtypeLike {
  nb::object object;  ///< numpy.float32, numpy.float64, or anything that numpy.dtype accepts
};

using NamedOptions = nb::typed<nb::dict, nb::str, nb::any>;

/// Integers in row-major order, such as token ids or indices.
struct Ids {
  std::vector<int> numbers;
  std::vector<Index> extents;
};

/// Truth values in row-major order.
struct Flags {
  std::unique_ptr<bool[]> values;
  std::vector<Index> extents;
  std::size_t size = 0;

  std::span<const bool> span() const { return {values.get(), size}; }
};

/// Each converts an argument. Throws an Error at `where` for other kinds of objects.
Ids to_ids(const char* where, const IdsLike& ids);
Flags to_flags(const char* where, const FlagsLike& flags);
std::vector<int> to_axes(const char* where, const AxesLike& axes);
std::vector<Index> to_extents(const char* where, const AxesLike& extents);
Precision to_precision(const char* where, const DtypeLike& dtype);

}  // namespace glossa::python

/// Defines a conversion from Python that accepts any object.
#define GLOSSA_ACCEPT(Type)                                                  \
  template <>                                                                \
  struct nanobind::detail::type_caster<glossa::python::Type> {               \
    NB_TYPE_CASTER(glossa::python::Type, const_name("glossa.typing." #Type)) \
    bool from_python(handle source, uint8_t, cleanup_list*) noexcept {       \
      value.object = borrow(source);                                         \
      return true;                                                           \
    }                                                                        \
  };
GLOSSA_ACCEPT(Operand)
GLOSSA_ACCEPT(IdsLike)
GLOSSA_ACCEPT(FlagsLike)
GLOSSA_ACCEPT(AxesLike)
GLOSSA_ACCEPT(RowsLike)
GLOSSA_ACCEPT(DtypeLike)
#undef GLOSSA_ACCEPT
