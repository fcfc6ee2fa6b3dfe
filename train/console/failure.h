#pragma once

#include <exception>

#include "autograd/check.h"

namespace glossa {

/// Describes any thrown exception as an Error.
Error failure_of(const std::exception_ptr& thrown);

}  // namespace glossa
