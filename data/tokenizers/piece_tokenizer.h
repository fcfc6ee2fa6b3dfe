#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/tokenizer.h"
#include "data/tokenizers/vocabulary.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace glossa {

/// Tokenizer of one side of a Marian model: a sentencepiece model cuts text into pieces, and a separate vocabulary
/// numbers the pieces. Source and target usually have two models over one vocabulary. Encodes and decodes as
/// transformers' MarianTokenizer without sacremoses and with `skip_special_tokens`, with two exceptions: text never
/// names a special token, and a language code that the vocabulary lacks is treated as text.
class PieceTokenizer : public Tokenizer {
 public:
  static constexpr std::string_view name = "pieces";

  /// From a serialized sentencepiece model and the tokens in id order, with special tokens as SpecialIds::name returns
  /// them. Throws at `where` for a damaged model, and as Vocabulary::of.
  PieceTokenizer(std::string sentencepiece_model, std::vector<std::string> tokens, const SpecialIds& specials,
                 const std::string& where);
  ~PieceTokenizer() override;

  /// From the bytes of `serialize`; `where` names the file. Throws like the constructor; errors in the vocabulary also
  /// name the line.
  static std::unique_ptr<PieceTokenizer> parse(std::string_view bytes, const std::string& where);

  /// A language code at the start (`>>fra<<`) is one token if the vocabulary has it; unknown pieces become unk.
  std::vector<int> encode(std::string_view text) const override;

  /// Drops special tokens, including unk.
  std::string decode(std::span<const int> ids) const override;

  int vocabulary_size() const override { return vocabulary_.size(); }
  const SpecialIds& specials() const override { return vocabulary_.specials(); }
  std::string kind() const override { return std::string(name); }
  std::string token(int id) const override { return vocabulary_.token(id); }

  /// The vocabulary as text, an empty line, and the sentencepiece model.
  std::string serialize() const override;

  /// The sentencepiece model, byte for byte.
  const std::string& sentencepiece_model() const { return model_; }

 private:
  PieceTokenizer(std::string sentencepiece_model, Vocabulary vocabulary, const std::string& where);

  std::string model_;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  Vocabulary vocabulary_;
};

}  // namespace glossa
