#pragma once

#include <string_view>

namespace glossa {

/// True for letters, digits and marks.
bool is_word_character(char32_t c);

/// Returns the first letter or digit of a text, if it is near; otherwise 0.
char32_t first_of_words(std::string_view text);

/// Returns the word at the end of a text. Apostrophes, periods and commas are within words, hyphens are not. Of a long
/// word, returns the last characters.
std::string_view last_word(std::string_view text);

/// Returns the last code point of a text that is not empty. In invalid UTF-8 it is that of the last ill-formed piece.
char32_t last_code_point(std::string_view text);

}  // namespace glossa
