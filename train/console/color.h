#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace glossa {

/// Meaning of a color; values are the terminal's color codes.
enum class Color { error = 31, good = 32, warning = 33 };

/// True if the stream is a terminal that supports escape sequences. False for a file, for a pipe, and with TERM=dumb.
bool is_terminal(std::FILE* stream);

/// Returns the text with color if `is_terminal(stream)` and NO_COLOR (https://no-color.org) is not set, otherwise
/// without.
std::string colored(std::FILE* stream, Color color, std::string_view text);

}  // namespace glossa
