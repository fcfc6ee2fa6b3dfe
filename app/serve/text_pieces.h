#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glossa::serve {

/// A line of a text: its sentences, and its ending.
struct TextLine {
  std::vector<std::string_view> sentences;  // none is all spaces
  std::string_view end;                     // "\n", "\r\n" or, for the last, nothing
};

/// The lines of a text, ending with LF or CR LF, each split at certain sentence ends: before a space after an end mark,
/// unless a lowercase letter follows or an abbreviation precedes a full stop; after the wide end marks of Chinese and
/// Japanese anywhere. A model translates single sentences best, but also translates unseparated ones.
std::vector<TextLine> lines_of_text(std::string_view text);

}  // namespace glossa::serve
