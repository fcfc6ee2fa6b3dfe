#pragma once

#include <string>

namespace glossa {

/// Reads a configuration file. Throws, naming the file, if it is a folder, binary or UTF-16.
std::string read_config_text(const std::string& path);

}  // namespace glossa
