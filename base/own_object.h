#pragma once

#include <filesystem>

namespace glossa {

/// The file that contains this code: the program, or the shared object through which another program uses glossa.
/// Throws if the system cannot determine it.
std::filesystem::path own_object();

}  // namespace glossa
