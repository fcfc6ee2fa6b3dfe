#pragma once

#include <string>
#include <string_view>

namespace glossa {

/// Returns a message's text with every character escaped that could control a terminal. Control characters and bytes
/// that are not UTF-8 become escapes such as \x1b. C1 controls and characters that change the direction of text become
/// escapes such as \u202e. Newlines and tabs stay.
std::string printable(std::string_view text);

/// As `printable`, but escapes newlines as \n, so that a value in a message cannot look like another message.
std::string printable_line(std::string_view text);

}  // namespace glossa
