#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace glossa {

/// What a colour says; the number is the terminal's.
enum class Colour { error = 31, good = 32, warning = 33 };

/// Whether the stream is a terminal that knows escape sequences: not a file, a pipe, or one with TERM=dumb.
bool is_terminal(std::FILE* stream);

/// The text in its colour where the stream is such a terminal and nobody has set NO_COLOR (https://no-color.org); else
/// as it is.
std::string coloured(std::FILE* stream, Colour colour, std::string_view text);

}  // namespace glossa
