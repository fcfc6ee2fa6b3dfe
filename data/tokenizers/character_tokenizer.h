#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/vocabulary_tokenizer.h"

namespace glossa {

/// Tokenizer with one token per code point. As in sentencepiece, every white-space character becomes the visible token
/// U+2581. Decoding turns this token into a plain space.
class CharacterTokenizer : public VocabularyTokenizer {
 public:
  explicit CharacterTokenizer(Vocabulary vocabulary) : VocabularyTokenizer(std::move(vocabulary)) {}

  std::string kind() const override { return "characters"; }

 private:
  std::vector<std::string_view> split(std::string_view text) const override;
  std::string join(std::span<const std::string_view> pieces) const override;
};

/// The code points of a text, with U+2581 for white space.
std::vector<std::string_view> split_characters(std::string_view text);

/// Makes a tokenizer whose tokens are the characters of `sentences`. Throws like Vocabulary::build.
std::unique_ptr<Tokenizer> train_character_tokenizer(std::span<const std::string> sentences,
                                                     const VocabularyOptions& options = {});

}  // namespace glossa
