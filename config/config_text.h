#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glossa {

/// Reads a configuration from a file or a pipe. Throws, naming the file, if it is a folder, binary, UTF-16, or larger
/// than 1 MiB.
std::string read_config_text(const std::string& path);

/// Checks the lines of a configuration before a YAML library reads it. Errors then name the line with the mistake and
/// the correct spelling. `where` is the name of the text.
///
/// Accepts the YAML that a configuration needs: lines `key: value`, indented below sections; lists; brackets that may
/// span lines. A value without brackets ends in its line. A value that begins with a reserved character must be in
/// quotes. Anchors, tags and block text are therefore refused.
void check_config_lines(std::string_view yaml, const std::string& where);

/// A byte that a text cannot have.
struct TextFault {
  std::int64_t line;      ///< counted from 1
  std::string_view what;  ///< "a NUL byte" or "invalid UTF-8"
};

/// Returns the first fault of a text.
std::optional<TextFault> find_fault(std::string_view text);

}  // namespace glossa
