#include "data/tokenizers/unknown_words.h"

#include <algorithm>

#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary_tokenizer.h"

namespace glossa {

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
