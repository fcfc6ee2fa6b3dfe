#pragma once

#include <filesystem>

namespace glossa {

/// The file that contains this code: the program, or a shared object in which glossa is linked into another program.
/// Throws if the system does not know it.
std::filesystem::path own_object();

}  // namespace glossa
