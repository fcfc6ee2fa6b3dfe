#include "data/tokenizers/token_words.h"

#include <algorithm>

#include "data/tokenizers/vocabulary_tokenizer.h"

namespace glossa {

std::vector<int> words_of_tokens(const Tokenizer& tokenizer, std::span<const int> ids) {
  const SpecialIds& specials = tokenizer.specials();
  const bool is_word = tokenizer.kind() == "words";
  std::vector<int> words;
  int word = -1;
  bool starts = true;  // true if the next character begins a word
  for (const int id : ids) {
    int& own = words.emplace_back(-1);
    if (id == specials.pad || id == specials.bos || id == specials.eos) continue;
    if (is_word) starts = true;
    const bool is_visible = is_word || id == specials.unk;  // regardless of its text in the vocabulary
    utf8::for_each(is_visible ? "?" : tokenizer.token(id), [&](std::string_view piece, utf8::CodePoint) {
      if (piece == visible_space) {
        starts = true;
        return;
      }
      if (starts) ++word;
      starts = false;
      if (own < 0) own = word;
    });
  }
  return words;
}

std::vector<std::string> unknown_words(const Tokenizer& tokenizer, std::string_view line) {
  const int unk = tokenizer.specials().unk;
  const auto is_unknown = [&](std::string_view text) {
    const std::vector<int> ids = tokenizer.encode(text);
    return std::ranges::find(ids, unk) != ids.end();
  };
  std::vector<std::string> unknown;
  if (unk < 0 || !is_unknown(line)) return unknown;
  const auto add = [&](std::string_view text) {
    if (is_unknown(text)) unknown.emplace_back(text);
  };
  if (tokenizer.kind() == "words")
    for (const std::string_view word : split_words(line)) add(word);
  else
    utf8::for_each(line, [&](std::string_view piece, utf8::CodePoint) { add(piece); });
  return unknown;
}

}  // namespace glossa
