#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glossa::serve {

/// A line of a text: the line's sentences and its ending.
struct TextLine {
  std::vector<std::string_view> sentences;  // without those of spaces only
  std::string_view end;                     // "\n", "\r\n" or, for the last line, perhaps empty
};

/// Splits a text into lines, which end with LF or CR LF, and each line into sentences. A sentence ends at an end mark
/// that is followed by a space. It does not end there if the next letter is lowercase, or if the mark is a period after
/// an abbreviation. The wide end marks of Chinese and Japanese do not need the space. In doubtful cases a line is not
/// split: a model translates single sentences best, but it can also translate several at once.
std::vector<TextLine> lines_of_text(std::string_view text);

}  // namespace glossa::serve
