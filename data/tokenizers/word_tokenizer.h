#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary_tokenizer.h"

namespace glossa {

/// Tokenizer with one token per word. Words are separated by runs of Unicode white space; decoding joins them with
/// single spaces.
class WordTokenizer : public VocabularyTokenizer {
 public:
  explicit WordTokenizer(Vocabulary vocabulary) : VocabularyTokenizer(std::move(vocabulary)) {}

  std::string kind() const override { return "words"; }

 private:
  std::vector<std::string_view> split(std::string_view text) const override;
  std::string join(std::span<const std::string_view> pieces) const override;
};

/// Splits a text into words. Code points for which `is_space` is true separate the words.
std::vector<std::string_view> split_words(std::string_view text, bool (*is_space)(char32_t) = utf8::is_space);

/// Makes a tokenizer whose tokens are the words of `sentences`. Throws like Vocabulary::build.
std::unique_ptr<Tokenizer> train_word_tokenizer(std::span<const std::string> sentences,
                                                const VocabularyOptions& options = {});

}  // namespace glossa
