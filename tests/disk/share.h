#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "tests/support/sanitized.h"

namespace glossa::disk {

/// Returns n if a test should try one in n disturbances: `usual`, or more with sanitizers, which make each try slow.
/// The environment variable GLOSSA_DISK_SHARE overrides it; 1 tries all.
inline std::size_t share(std::size_t usual) {
  if (const char* const text = std::getenv("GLOSSA_DISK_SHARE")) return std::max(1ul, std::strtoul(text, nullptr, 10));
  return testing::sanitized ? 8 * usual : usual;
}

}  // namespace glossa::disk
