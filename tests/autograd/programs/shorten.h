#pragma once

#include <functional>

#include "tests/autograd/programs/program.h"

namespace glossa::programs {

/// Returns the shortest program found within `seconds` that `fails` like `program`. Leaves out or bypasses lines,
/// replaces them by leaves, and reduces extents and numbers.
Program shortened(Program program, const std::function<bool(const Program&)>& fails, double seconds);

}  // namespace glossa::programs
