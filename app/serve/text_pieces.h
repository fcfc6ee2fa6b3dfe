#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glossa::serve {

/// A line of a text: its sentences, and its ending.
struct TextLine {
  std::vector<std::string_view> sentences;  // none consists of spaces only
  std::string_view end;                     // "\n", "\r\n" or, for the last line, perhaps empty
};

/// Splits a text into lines, which end with LF or CR LF, and each line into sentences. A sentence ends at an end mark
/// before a space, unless a lowercase letter follows or an abbreviation precedes a full stop. After the wide end marks
/// of Chinese and Japanese, no space is needed. In doubtful cases the line is not split: a model translates single
/// sentences best, but it also translates several at once.
std::vector<TextLine> lines_of_text(std::string_view text);

}  // namespace glossa::serve
