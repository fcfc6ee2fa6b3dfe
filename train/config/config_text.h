#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glossa {

/// Reads a configuration from a file or a pipe. Throws, naming the file, if it is a folder, binary, UTF-16, or larger
/// than 1 MiB.
std::string read_config_text(const std::string& path);

/// A byte that a text cannot have.
struct TextFault {
  std::int64_t line;      ///< from 1
  std::string_view what;  ///< "a NUL byte" or "invalid UTF-8"
};

/// Returns the first fault of a text.
std::optional<TextFault> find_fault(std::string_view text);

}  // namespace glossa
