#pragma once

#include <string_view>

namespace glossa {

/// The program's version, from CMakeLists.txt. CONTRIBUTING.md describes what versions promise.
extern const std::string_view program_version;

}  // namespace glossa
