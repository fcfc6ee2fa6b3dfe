#include "data/tokenizers/word_tokenizer.h"

#include <fmt/format.h>

namespace glossa {

std::vector<std::string_view> split_words(std::string_view text, bool (*is_space)(char32_t)) {
  std::vector<std::string_view> words;
  bool inside = false;
  utf8::for_each(text, [&](std::string_view piece, utf8::CodePoint c) {
    const bool space = c.valid && is_space(c.value);
    if (!space && inside)
      words.back() = {words.back().data(), words.back().size() + piece.size()};
    else if (!space)
      words.push_back(piece);
    inside = !space;
  });
  return words;
}

std::vector<std::string_view> WordTokenizer::split(std::string_view text) const { return split_words(text); }

std::string WordTokenizer::join(std::span<const std::string_view> pieces) const {
  return fmt::format("{}", fmt::join(pieces, " "));
}

std::unique_ptr<Tokenizer> train_word_tokenizer(std::span<const std::string> sentences,
                                                const VocabularyOptions& options) {
  TokenCounts counts;
  for (const std::string& sentence : sentences)
    for (const std::string_view word : split_words(sentence)) ++counts[std::string(word)];
  return std::make_unique<WordTokenizer>(Vocabulary::build(counts, options));
}

}  // namespace glossa
