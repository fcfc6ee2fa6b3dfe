#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/code_point.h"

namespace glossa::utf8 {

inline constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

/// Replaces every ill-formed piece of `text` with U+FFFD. If `replaced` is not null, adds the number of pieces to
/// `*replaced`.
std::string replace_invalid(std::string_view text, std::int64_t* replaced = nullptr);

/// Appends the UTF-8 form of `value`.
void append(std::string& text, char32_t value);

/// True for the Unicode property White_Space.
bool is_space(char32_t value);

/// True for white space in Python's sense (str.split): White_Space and the information separators U+001C to U+001F.
bool is_python_space(char32_t value);

/// True for Unicode's general categories P (punctuation), S (symbols) and N (numbers).
bool is_punctuation(char32_t value);
bool is_symbol(char32_t value);
bool is_number(char32_t value);

/// `is_lower` is true for lower-case letters that become capitals at the beginning of a sentence, `is_upper` for
/// upper-case and title-case letters. Most scripts have neither. Georgian has capitals, but only for whole words; its
/// usual letters do not count as lower-case.
bool is_lower(char32_t value);
bool is_upper(char32_t value);

/// The lower-case letter without accents: `e` for `É`.
char32_t base_letter(char32_t value);

/// Converts to lower case by Unicode's simple mapping, from one code point to one code point. Invalid bytes stay.
std::string lower_case(std::string_view text);

/// Converts to lower case by the full, context-sensitive mapping: a word-final sigma becomes ς, and İ becomes two code
/// points.
std::string full_lower_case(std::string_view text);

/// Returns `text` without white space (see is_space) at its ends.
std::string_view trimmed(std::string_view text);

/// True for Chinese characters, kana and their punctuation, which have no spaces between them.
bool stands_close(char32_t c);

/// True for letters, digits and marks.
bool is_word_character(char32_t c);

/// Returns the first letter or digit among the first 24 characters of a text; otherwise 0.
char32_t first_of_words(std::string_view text);

/// Returns the word at the end of a text. Words may contain apostrophes, periods and commas, but not hyphens. If the
/// word is longer than 24 characters, returns its end.
std::string_view last_word(std::string_view text);

/// Returns the last code point of a nonempty text. In invalid UTF-8, this is the code point of the last ill-formed
/// piece.
char32_t last_code_point(std::string_view text);

}  // namespace glossa::utf8
