#include "data/text/near_words.h"

#include "data/text/utf8.h"

namespace glossa {
namespace {

/// Maximum number of characters in which to look for a letter or a word.
constexpr int far = 24;

/// Position of the text's last code point.
std::size_t last_position(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

}  // namespace

bool is_word_character(char32_t c) { return !utf8::is_space(c) && !utf8::is_punctuation(c) && !utf8::is_symbol(c); }

char32_t first_of_words(std::string_view text) {
  for (int i = 0; i < far && !text.empty(); ++i) {
    const utf8::CodePoint c = utf8::first(text);
    if (is_word_character(c.value)) return c.value;
    text.remove_prefix(c.bytes);
  }
  return 0;
}

std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  for (int i = 0; i < far && begin > 0; ++i) {
    const std::string_view before = text.substr(0, begin);
    const char32_t c = last_code_point(before);
    if (!is_word_character(c) && c != '.' && c != ',' && c != '\'' && c != U'\u2019') break;
    begin = last_position(before);
  }
  return text.substr(begin);
}

char32_t last_code_point(std::string_view text) { return utf8::first(text.substr(last_position(text))).value; }

}  // namespace glossa
