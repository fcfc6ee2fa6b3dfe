#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/text/utf8.h"
#include "data/tokenizers/tokenizer.h"

namespace glossa {

/// Tokenizer that cuts text into words or characters and looks up each in a vocabulary. Runs of Unicode white space
/// separate words; decoding joins words with single spaces. For characters, every code point is a token. White space
/// becomes the visible token U+2581, as in sentencepiece; decoding turns it into a plain space.
class VocabularyTokenizer : public Tokenizer {
 public:
  enum class Unit { word, character };

  VocabularyTokenizer(Unit unit, Vocabulary vocabulary) : unit_(unit), vocabulary_(std::move(vocabulary)) {}

  std::vector<int> encode(std::string_view text) const override;
  std::string decode(std::span<const int> ids) const override;
  int vocabulary_size() const override { return vocabulary_.size(); }
  const SpecialIds& specials() const override { return vocabulary_.specials(); }
  std::string kind() const override { return unit_ == Unit::word ? "words" : "characters"; }
  std::string token(int id) const override { return vocabulary_.token(id); }
  std::string serialize() const override { return vocabulary_.serialize(kind()); }

 private:
  Unit unit_;
  Vocabulary vocabulary_;
};

/// Splits a text into words. Code points with `is_space` true separate the words.
std::vector<std::string_view> split_words(std::string_view text, bool (*is_space)(char32_t) = utf8::is_space);

/// Makes a tokenizer with the words or characters of `sentences` as tokens. Throws like Vocabulary::build.
std::unique_ptr<Tokenizer> train_word_tokenizer(std::span<const std::string> sentences,
                                                const VocabularyOptions& options = {});
std::unique_ptr<Tokenizer> train_character_tokenizer(std::span<const std::string> sentences,
                                                     const VocabularyOptions& options = {});

}  // namespace glossa
