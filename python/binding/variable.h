#pragma once

#include <optional>

#include "python/binding/operand.h"

namespace glossa::python {

/// Computes all gradients: Context::backward.
void backward(const Value& root, const std::optional<Operand>& cotangent, bool keep_graph);

/// The number of a variable with one element.
double number_of(const Value& value);

}  // namespace glossa::python
