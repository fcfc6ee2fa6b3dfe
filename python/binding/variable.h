#pragma once

#include <optional>

#include "python/binding/operand.h"

namespace glossa::python {

/// Computes all gradients with Context::backward.
void backward(const Value& root, const std::optional<Operand>& cotangent, bool keep_graph);

/// Returns the number in a variable with one element.
double number_of(const Value& value);

}  // namespace glossa::python
