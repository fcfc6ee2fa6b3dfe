#include "data/tokenizers/character_tokenizer.h"

#include "data/text/utf8.h"

namespace glossa {

std::vector<std::string_view> split_characters(std::string_view text) {
  std::vector<std::string_view> pieces;
  utf8::for_each(text, [&](std::string_view piece, utf8::CodePoint c) {
    pieces.push_back(c.valid && utf8::is_space(c.value) ? visible_space : piece);
  });
  return pieces;
}

std::vector<std::string_view> CharacterTokenizer::split(std::string_view text) const { return split_characters(text); }

std::string CharacterTokenizer::join(std::span<const std::string_view> pieces) const {
  std::string text;
  for (const std::string_view piece : pieces) text += piece == visible_space ? " " : piece;
  return text;
}

std::unique_ptr<Tokenizer> train_character_tokenizer(std::span<const std::string> sentences,
                                                     const VocabularyOptions& options) {
  TokenCounts counts;
  for (const std::string& sentence : sentences)
    for (const std::string_view piece : split_characters(sentence)) ++counts[std::string(piece)];
  return std::make_unique<CharacterTokenizer>(Vocabulary::build(counts, options));
}

}  // namespace glossa
