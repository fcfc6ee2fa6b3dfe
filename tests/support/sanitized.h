#pragma once

#include "autograd/sanitizer.h"

namespace glossa::testing {

/// True with AddressSanitizer. Tests then run about ten times as long, so long ones try fewer cases.
inline constexpr bool sanitized = GLOSSA_SANITIZES(address);

}  // namespace glossa::testing
