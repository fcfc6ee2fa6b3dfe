#pragma once

#include <string_view>

namespace glossa {

/// The program's version, from CMakeLists.txt; CONTRIBUTING.md describes its promises.
extern const std::string_view program_version;

}  // namespace glossa
