#include "data/tokenizers/vocabulary_tokenizer.h"

#include <fmt/ranges.h>

#include "base/check.h"

namespace glossa {
namespace {

using Unit = VocabularyTokenizer::Unit;

std::vector<std::string_view> split_into(Unit unit, std::string_view text) {
  if (unit == Unit::word) return split_words(text);
  std::vector<std::string_view> characters;
  utf8::for_each(text, [&](std::string_view piece, utf8::CodePoint c) {
    characters.push_back(c.valid && utf8::is_space(c.value) ? visible_space : piece);
  });
  return characters;
}

std::unique_ptr<Tokenizer> train(Unit unit, std::span<const std::string> sentences, const VocabularyOptions& options) {
  TokenCounts counts;
  for (const std::string& sentence : sentences)
    for (const std::string_view piece : split_into(unit, sentence)) ++counts[std::string(piece)];
  return std::make_unique<VocabularyTokenizer>(unit, Vocabulary::build(counts, options));
}

}  // namespace

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

std::vector<int> VocabularyTokenizer::encode(std::string_view text) const {
  std::vector<int> ids;
  for (const std::string_view piece : split_into(unit_, text)) {
    ids.push_back(vocabulary_.id(piece));
    check(ids.back() >= 0, kind(),
          "expected a token of the vocabulary, which has no <unk>; got `{}`. Hint: a vocabulary with an id for <unk> "
          "accepts any token",
          piece);
  }
  return ids;
}

std::string VocabularyTokenizer::decode(std::span<const int> ids) const {
  std::vector<std::string_view> pieces;
  for (const int id : ids) {
    const std::string_view piece = vocabulary_.token(id);
    if (!specials().contains(id) || id == specials().unk)
      pieces.push_back(unit_ == Unit::character && piece == visible_space ? " " : piece);
  }
  return fmt::format("{}", fmt::join(pieces, unit_ == Unit::word ? " " : ""));
}

std::unique_ptr<Tokenizer> train_word_tokenizer(std::span<const std::string> sentences,
                                                const VocabularyOptions& options) {
  return train(Unit::word, sentences, options);
}

std::unique_ptr<Tokenizer> train_character_tokenizer(std::span<const std::string> sentences,
                                                     const VocabularyOptions& options) {
  return train(Unit::character, sentences, options);
}

}  // namespace glossa
