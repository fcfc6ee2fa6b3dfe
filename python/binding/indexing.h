#pragma once

#include "python/binding/operand.h"

namespace glossa::python {

/// Returns x[index] for an operand of this shape, as in NumPy's basic indexing: ints, slices with step 1, ... and None,
/// or a tuple of them. A list or array of integers selects rows of a matrix. Throws IndexError for an int outside its
/// axis, and an Error for other indices.
Value element(const Operand& x, const Shape& shape, const nb::object& index);

}  // namespace glossa::python
