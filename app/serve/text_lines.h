#pragma once

#include <string_view>
#include <vector>

namespace glossa::serve {

/// A line of a text, and its ending.
struct TextLine {
  std::string_view text;
  std::string_view end;  // "\n", "\r\n" or, for the last line, perhaps empty
};

/// Splits a text into lines, which end with LF or CR LF.
std::vector<TextLine> lines_of_text(std::string_view text);

}  // namespace glossa::serve
