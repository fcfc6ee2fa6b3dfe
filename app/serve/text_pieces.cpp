#include "app/serve/text_pieces.h"

#include "data/text/line_pieces.h"
#include "data/text/utf8.h"

namespace glossa::serve {

namespace {

/// True if the word before a full stop may be an abbreviation: `z. B.`, `p.m.`, `Mr.`, `Prof.`.
bool may_be_abbreviation(std::string_view word) {
  if (word.find('.') != word.npos) return true;
  std::size_t letters = 0;
  bool is_capitalized = false;
  utf8::for_each(word, [&](std::string_view, utf8::CodePoint c) {
    if (letters++ == 0) is_capitalized = utf8::is_upper(c.value);
  });
  return letters == 1 || (is_capitalized && letters <= 4);
}

/// True if a sentence ends between two adjacent pieces of a line; `before` ends in an end mark.
bool parts(std::string_view before, std::string_view after) {
  if (utf8::is_lower(utf8::first(after).value)) return false;
  if (!before.ends_with('.')) return true;
  const std::string_view word = before.substr(before.rfind(' ') + 1);  // npos + 1 is 0
  return !may_be_abbreviation(word.substr(0, word.size() - 1));
}

std::vector<std::string_view> sentences_of(std::string_view line) {
  std::vector<std::string_view> sentences;
  for (const std::string_view piece : cut_line(line, [](std::string_view) { return true; })) {
    if (!sentences.empty() && !parts(sentences.back(), piece))
      sentences.back() = {sentences.back().data(), piece.data() + piece.size()};
    else
      sentences.push_back(piece);
  }
  return sentences;
}

}  // namespace

std::vector<TextLine> lines_of_text(std::string_view text) {
  std::vector<TextLine> lines;
  while (!text.empty()) {
    const std::size_t feed = std::min(text.find('\n'), text.size());
    const std::size_t end = std::min(feed + 1, text.size());
    const std::size_t length = feed < text.size() && feed > 0 && text[feed - 1] == '\r' ? feed - 1 : feed;
    lines.push_back({sentences_of(text.substr(0, length)), text.substr(length, end - length)});
    text.remove_prefix(end);
  }
  return lines;
}

}  // namespace glossa::serve
