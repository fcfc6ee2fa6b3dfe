#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace glossa {

/// Meaning of a color; values are the terminal's color codes.
enum class Color { error = 31, good = 32, warning = 33 };

/// True if the stream is a terminal that supports escape sequences; false for a file, a pipe, or with TERM=dumb.
bool is_terminal(std::FILE* stream);

/// Colors the text if `is_terminal(stream)` and NO_COLOR (https://no-color.org) is not set; otherwise returns it
/// unchanged.
std::string colored(std::FILE* stream, Color color, std::string_view text);

}  // namespace glossa
