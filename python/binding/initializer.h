#pragma once

#include <nanobind/nanobind.h>

#include "autograd/parameter.h"

namespace glossa::python {

/// Converts Python's initial values: a kind ("zeros", "ones", "xavier_uniform", ...), a pair of a kind and its scale,
/// or an array of the parameter's shape. Throws an Error at `where` for anything else.
Initializer to_initializer(const char* where, nanobind::handle given);

}  // namespace glossa::python
