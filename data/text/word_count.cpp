#include "data/text/word_count.h"

#include "data/text/utf8.h"

namespace glossa {
namespace {

/// True for characters of scripts without spaces between words: Thai to Burmese, Khmer, kana, Chinese.
bool is_unspaced(char32_t c) {
  return (c >= 0x0E00 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF) || (c >= 0x3040 && c <= 0x30FF) ||
         (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

}  // namespace

std::int64_t count_words(std::string_view text) {
  std::int64_t words = 0;
  bool in_word = false;
  utf8::for_each(text, [&](std::string_view, utf8::CodePoint c) {
    const bool alone = is_unspaced(c.value), part = !alone && !utf8::is_space(c.value);
    words += alone || (part && !in_word);
    in_word = part;
  });
  return words;
}

void LineLengths::add_words(std::int64_t words) {
  if (words == 0) return;
  ++counts_[words];
  ++lines_;
}

std::int64_t LineLengths::quantile(double share) const {
  std::int64_t so_far = 0;
  for (const auto& [words, lines] : counts_) {
    so_far += lines;
    if (static_cast<double>(so_far) >= share * static_cast<double>(lines_)) return words;
  }
  return 0;
}

}  // namespace glossa
