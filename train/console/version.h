#pragma once

#include <string_view>

namespace glossa {

/// Of the program, as CMakeLists.txt has it.
inline constexpr std::string_view program_version = GLOSSA_VERSION;

}  // namespace glossa
