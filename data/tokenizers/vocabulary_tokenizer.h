#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace glossa {

/// Base of word and character tokenizers: cuts text into pieces and looks up each piece in a vocabulary.
class VocabularyTokenizer : public Tokenizer {
 public:
  std::vector<int> encode(std::string_view text) const override;
  std::string decode(std::span<const int> ids) const override;
  int vocabulary_size() const override { return vocabulary_.size(); }
  const SpecialIds& specials() const override { return vocabulary_.specials(); }
  std::string token(int id) const override { return vocabulary_.token(id); }
  std::string serialize() const override { return vocabulary_.serialize(kind()); }

 protected:
  explicit VocabularyTokenizer(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

  virtual std::vector<std::string_view> split(std::string_view text) const = 0;
  virtual std::string join(std::span<const std::string_view> pieces) const = 0;

 private:
  Vocabulary vocabulary_;
};

}  // namespace glossa
