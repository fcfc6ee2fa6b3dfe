#pragma once

#include <cstddef>
#include <string_view>

/// Decoding of UTF-8; data/text/utf8.h adds further functions.
namespace glossa::utf8 {

/// The code point at the front of a text. `bytes` is its length, 0 at the end of the text. If the bytes are not valid
/// UTF-8, `valid` is false and `bytes` is the length of the ill-formed piece. This piece is the longest prefix of a
/// valid sequence, but at least one byte (Unicode 15, section 3.9).
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;
  bool valid = true;
};

/// The code point at the front of `text`. Overlong forms, surrogates and values above U+10FFFF are invalid.
inline CodePoint first(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {0, 1, false};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte alone rules out overlong forms, surrogates and values that are too large.
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t value = lead & (0x7F >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || byte(i) < (i == 1 ? low : 0x80) || byte(i) > (i == 1 ? high : 0xBF)) return {0, i, false};
    value = value << 6 | (byte(i) & 0x3F);
  }
  return {value, length};
}

/// Byte offset (from 0) of the first invalid sequence, or npos if all of `text` is valid UTF-8.
inline std::size_t find_invalid(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = first(text.substr(at));
    if (!c.valid) return at;
    at += c.bytes;
  }
  return std::string_view::npos;
}

/// Calls `use(bytes, code_point)` for each code point of `text`, in order. For an ill-formed piece of the text,
/// `code_point.valid` is false.
template <class Use>
void for_each(std::string_view text, Use use) {
  while (!text.empty()) {
    const CodePoint c = first(text);
    use(text.substr(0, c.bytes), c);
    text.remove_prefix(c.bytes);
  }
}

}  // namespace glossa::utf8
