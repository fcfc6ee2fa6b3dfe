#include "data/tokenizers/token_words.h"

#include "data/text/utf8.h"

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
    const bool is_visible = is_word || id == specials.unk;  // whatever its text in the vocabulary is
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

}  // namespace glossa
