#pragma once

#include <string>
#include <string_view>

namespace glossa {

/// Text of a message with every part that could drive a terminal escaped: control characters and bytes that are not
/// UTF-8 in the form \x1b, C1 controls and characters that reverse text in the form \u202e. Newlines and tabs stay.
std::string printable(std::string_view text);

/// As `printable`, but with newlines as \n, so that a value in a message cannot look like another message.
std::string printable_line(std::string_view text);

}  // namespace glossa
