#include "data/text/line_pieces.h"

#include "data/text/utf8.h"

namespace glossa {
namespace {

constexpr std::u32string_view ends_before_space = U".!?\u2026\u061F\u06D4\u0964\u0965\u1362\u104B";
constexpr std::u32string_view ends_anywhere = U"\u3002\uFF01\uFF1F\uFF61";
constexpr std::u32string_view closing = U"\"')]}\u00BB\u2019\u201D\u300D\u300F\u3011\uFF09";

bool is_in(std::u32string_view set, char32_t c) { return set.find(c) != set.npos; }

/// Splits at spaces that follow an end mark and any closing quotes and brackets; wide end marks need no space.
std::vector<std::string_view> sentences_of(std::string_view line) {
  std::vector<std::string_view> sentences;
  const auto add = [&](std::string_view sentence) {
    if (sentence = utf8::trimmed(sentence); !sentence.empty()) sentences.push_back(sentence);
  };
  bool ended = false, wide = false;
  std::size_t begin = 0, at = 0;
  utf8::for_each(line, [&](std::string_view piece, utf8::CodePoint c) {
    const bool end = is_in(ends_before_space, c.value), wide_end = is_in(ends_anywhere, c.value);
    if (end || wide_end) {
      ended = true;
      wide = wide_end;
    } else if (ended && !is_in(closing, c.value)) {
      if (wide || c.value == ' ') {
        add(line.substr(begin, at - begin));
        begin = at;
      }
      ended = false;
    }
    at += piece.size();
  });
  add(line.substr(begin));
  return sentences;
}

/// Position at which to halve a text that does not begin or end with a space; 0 if it cannot be halved.
std::size_t middle_of(std::string_view text) {
  const std::size_t half = text.size() / 2;
  const std::size_t before = text.rfind(' ', half), after = text.find(' ', half);
  if (before != text.npos && (after == text.npos || half - before <= after - half)) return before;
  if (after != text.npos) return after;
  const auto inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  std::size_t at = half;
  while (at > 0 && inside(at)) --at;
  if (at > 0) return at;
  for (at = half + 1; at < text.size(); ++at)
    if (!inside(at)) return at;
  return 0;
}

void halve(std::string_view text, const std::function<bool(std::string_view)>& fits,
           std::vector<std::string_view>& pieces) {
  const std::size_t middle = fits(text) ? 0 : middle_of(text);
  if (middle == 0) return pieces.push_back(text);
  halve(utf8::trimmed(text.substr(0, middle)), fits, pieces);
  halve(utf8::trimmed(text.substr(middle)), fits, pieces);
}

char32_t last_of(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return utf8::first(text.substr(at)).value;
}

/// True for Chinese characters, kana and their punctuation.
bool stands_close(char32_t c) {
  const auto within = [&](char32_t low, char32_t high) { return c >= low && c <= high; };
  return within(0x2E80, 0x312F) || within(0x31A0, 0xA4CF) || within(0xF900, 0xFAFF) || within(0xFF01, 0xFF9F) ||
         within(0x20000, 0x3FFFF);
}

}  // namespace

std::vector<std::string_view> cut_line(std::string_view line, const std::function<bool(std::string_view)>& fits) {
  std::vector<std::string_view> pieces;
  for (const std::string_view sentence : sentences_of(line)) halve(sentence, fits, pieces);
  return pieces;
}

bool append_piece(std::string& line, std::string_view piece) {
  if (piece.empty()) return false;
  bool is_glued = false;
  if (!line.empty()) {
    const char32_t last = last_of(line), first = utf8::first(piece).value;
    is_glued = stands_close(last) && stands_close(first);
    if (!is_glued) line += ' ';
    is_glued = is_glued && !utf8::is_space(last) && !utf8::is_space(first);
  }
  line += piece;
  return is_glued;
}

std::string join_pieces(std::span<const std::string> pieces) {
  std::string line;
  for (const std::string& piece : pieces) append_piece(line, piece);
  return line;
}

}  // namespace glossa
