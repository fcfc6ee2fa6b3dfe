#include "data/text/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <ranges>

namespace glossa::utf8 {
namespace {

utf8proc_category_t category(char32_t value) { return utf8proc_category(static_cast<utf8proc_int32_t>(value)); }

/// Unicode property Case_Ignorable: marks, modifiers, format characters, and punctuation inside words.
bool is_case_ignorable(char32_t value) {
  constexpr std::u32string_view inside_words =
      U"':.\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A";
  switch (category(value)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return inside_words.find(value) != inside_words.npos;
  }
}

/// Unicode property Cased, for code points that are not Case_Ignorable.
bool is_cased(char32_t value) {
  const auto within = [&](char32_t low, char32_t high) { return value >= low && value <= high; };
  switch (category(value)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
      return true;
    default:  // ordinals, Roman numerals, and letters in circles and squares
      return value == 0xAA || value == 0xBA || within(0x2160, 0x217F) || within(0x24B6, 0x24E9) ||
             within(0x1F130, 0x1F149) || within(0x1F150, 0x1F169) || within(0x1F170, 0x1F189);
  }
}

/// True if the first code point that is not ignorable is cased.
template <class Range>
bool begins_cased(const Range& text) {
  const auto found = std::ranges::find_if_not(text, is_case_ignorable);
  return found != std::ranges::end(text) && is_cased(*found);
}

/// Maximum number of characters in which to look for a letter or a word.
constexpr int far = 24;

/// Position of the text's last code point.
std::size_t last_position(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

}  // namespace

std::string replace_invalid(std::string_view text, std::int64_t* replaced) {
  std::string result;
  result.reserve(text.size());
  for_each(text, [&](std::string_view piece, CodePoint c) {
    result += c.valid ? piece : replacement;
    if (!c.valid && replaced) ++*replaced;
  });
  return result;
}

void append(std::string& text, char32_t value) {
  utf8proc_uint8_t bytes[4];
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(value), bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

bool is_space(char32_t value) {
  return (value >= 0x09 && value <= 0x0D) || value == 0x20 || value == 0x85 || value == 0xA0 || value == 0x1680 ||
         (value >= 0x2000 && value <= 0x200A) || value == 0x2028 || value == 0x2029 || value == 0x202F ||
         value == 0x205F || value == 0x3000;
}

bool is_python_space(char32_t value) { return is_space(value) || (value >= 0x1C && value <= 0x1F); }

bool is_punctuation(char32_t value) {
  return category(value) >= UTF8PROC_CATEGORY_PC && category(value) <= UTF8PROC_CATEGORY_PO;
}

bool is_symbol(char32_t value) {
  return category(value) >= UTF8PROC_CATEGORY_SM && category(value) <= UTF8PROC_CATEGORY_SO;
}

bool is_number(char32_t value) {
  return category(value) >= UTF8PROC_CATEGORY_ND && category(value) <= UTF8PROC_CATEGORY_NO;
}

bool is_lower(char32_t value) {
  const auto c = static_cast<utf8proc_int32_t>(value);
  return category(value) == UTF8PROC_CATEGORY_LL && utf8proc_totitle(c) != c;
}

bool is_upper(char32_t value) {
  return category(value) == UTF8PROC_CATEGORY_LU || category(value) == UTF8PROC_CATEGORY_LT;
}

char32_t base_letter(char32_t value) {
  utf8proc_int32_t letters[8];
  const auto lower = utf8proc_tolower(static_cast<utf8proc_int32_t>(value));
  const auto count = utf8proc_decompose_char(lower, letters, std::ssize(letters), UTF8PROC_DECOMPOSE, nullptr);
  return static_cast<char32_t>(count > 0 && count <= std::ssize(letters) ? letters[0] : lower);
}

std::string lower_case(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for_each(text, [&](std::string_view piece, CodePoint c) {
    if (c.valid)
      append(result, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c.value))));
    else
      result += piece;
  });
  return result;
}

std::string full_lower_case(std::string_view text) {
  constexpr char32_t sigma = 0x3A3, final_sigma = 0x3C2, dotted_i = 0x130, dot_above = 0x307;
  std::u32string all;
  for_each(text, [&](std::string_view, CodePoint c) { all += c.value; });
  std::string result;
  std::size_t i = 0;
  for_each(text, [&](std::string_view piece, CodePoint c) {
    const std::u32string_view before = std::u32string_view(all).substr(0, i++),
                              after = std::u32string_view(all).substr(i);
    if (c.value == sigma && begins_cased(before | std::views::reverse) && !begins_cased(after)) {
      append(result, final_sigma);
    } else if (c.value == dotted_i) {
      append(result, U'i');
      append(result, dot_above);
    } else {
      result += lower_case(piece);
    }
  });
  return result;
}

std::string_view trimmed(std::string_view text) {
  const char* begin = nullptr;
  const char* end = nullptr;
  for_each(text, [&](std::string_view piece, CodePoint c) {
    if (c.valid && is_space(c.value)) return;
    if (begin == nullptr) begin = piece.data();
    end = piece.data() + piece.size();
  });
  return {begin, end};
}

bool stands_close(char32_t c) {
  const auto within = [&](char32_t low, char32_t high) { return c >= low && c <= high; };
  return within(0x2E80, 0x312F) || within(0x31A0, 0xA4CF) || within(0xF900, 0xFAFF) || within(0xFF01, 0xFF9F) ||
         within(0x20000, 0x3FFFF);
}

bool is_word_character(char32_t c) { return !is_space(c) && !is_punctuation(c) && !is_symbol(c); }

char32_t first_of_words(std::string_view text) {
  for (int i = 0; i < far && !text.empty(); ++i) {
    const CodePoint c = first(text);
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

char32_t last_code_point(std::string_view text) { return first(text.substr(last_position(text))).value; }

}  // namespace glossa::utf8
