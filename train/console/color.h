#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace glossa {

/// Meaning of a color; the number is the terminal's.
enum class Color { error = 31, good = 32, warning = 33 };

/// True if the stream is a terminal that knows escape sequences: not a file, a pipe, or one with TERM=dumb.
bool is_terminal(std::FILE* stream);

/// Colors the text if the stream is such a terminal and NO_COLOR (https://no-color.org) is not set; else returns it
/// unchanged.
std::string colored(std::FILE* stream, Color color, std::string_view text);

}  // namespace glossa
