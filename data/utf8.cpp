#include "data/utf8.h"

#include <utf8proc.h>

namespace glossa::utf8 {

CodePoint first(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {0, 1, false};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte alone decides about overlong forms, surrogates and values that are too large.
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t value = lead & (0x7F >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || byte(i) < (i == 1 ? low : 0x80) || byte(i) > (i == 1 ? high : 0xBF)) return {0, i, false};
    value = value << 6 | (byte(i) & 0x3F);
  }
  return {value, length};
}

std::size_t find_invalid(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = first(text.substr(at));
    if (!c.valid) return at;
    at += c.bytes;
  }
  return std::string_view::npos;
}

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

}  // namespace glossa::utf8
