#pragma once

#include <functional>

#include "tests/autograd/programs/program.h"

namespace glossa::programs {

/// The shortest program found within `seconds` that still `fails`, as `program` does: lines are left out, bypassed or
/// replaced by leaves; extents and numbers get smaller.
Program shortened(Program program, const std::function<bool(const Program&)>& fails, double seconds);

}  // namespace glossa::programs
