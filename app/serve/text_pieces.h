#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glossa::serve {

/// A line of a text: its sentences, and what ended it.
struct TextLine {
  std::vector<std::string_view> sentences;  // none of spaces alone
  std::string_view end;                     // "\n", "\r\n" or, of the last, nothing
};

/// The lines of a text, which end with LF or CR LF, each cut where a sentence surely ends: before a space that follows
/// an end mark, where what comes next is no small letter and what stands before a full stop is no abbreviation; after
/// the wide end marks of Chinese and Japanese anywhere. A model translates single sentences best, and one that was not
/// parted from the next is translated all the same.
std::vector<TextLine> lines_of_text(std::string_view text);

}  // namespace glossa::serve
