#pragma once

#include <string>
#include <string_view>

namespace glossa {

/// Returns a message's text, escaping everything that could control a terminal: control characters and bytes that are
/// not UTF-8 become \x1b and the like; C1 controls and characters that reverse text become \u202e and the like.
/// Newlines and tabs stay.
std::string printable(std::string_view text);

/// As `printable`, but with newlines as \n, so that a value in a message cannot look like another message.
std::string printable_line(std::string_view text);

}  // namespace glossa
