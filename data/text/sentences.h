#pragma once

#include <string_view>
#include <vector>

namespace glossa {

/// Splits a line into sentences, without the white space between them. A sentence ends at an end mark, with any closing
/// quotes and brackets, that white space follows. Dandas and the wide end marks of Chinese and Japanese do not need the
/// white space. A sentence does not end
/// - before a lower-case letter,
/// - at a period after an abbreviation, an initial, or a number of one or two digits, which may be an ordinal,
/// - at an ellipsis after white space, which marks an omission,
/// - at a wide end mark within quotes if the text continues directly after them.
/// In other doubtful cases the line is not split either.
std::vector<std::string_view> split_sentences(std::string_view line);

/// Splits a line wherever a sentence may end, also in doubtful cases.
std::vector<std::string_view> split_at_end_marks(std::string_view line);

/// True for Chinese characters, kana and their punctuation, which are written without spaces between them.
bool stands_close(char32_t c);

/// Returns the last code point of a text that is not empty. In invalid UTF-8 it is that of the last ill-formed piece.
char32_t last_code_point(std::string_view text);

}  // namespace glossa
