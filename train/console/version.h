#pragma once

#include <string_view>

namespace glossa {

/// Of the program, as CMakeLists.txt has it; CONTRIBUTING.md tells what a version promises.
extern const std::string_view program_version;

}  // namespace glossa
