#pragma once

#include <exception>

#include "base/check.h"

namespace glossa {

/// Describes any thrown exception as an Error.
Error failure_of(const std::exception_ptr& thrown);

}  // namespace glossa
