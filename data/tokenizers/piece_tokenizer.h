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
/// numbers them. Source and target usually have different models and the same vocabulary. Encodes and decodes like
/// MarianTokenizer of transformers (without sacremoses, with `skip_special_tokens`), with two exceptions. Text never
/// names a special token. A language code that is not in the vocabulary is encoded as text.
class PieceTokenizer : public Tokenizer {
 public:
  static constexpr std::string_view name = "pieces";

  /// `sentencepiece_model` is a serialized model. `tokens` are in id order, with special tokens named as in
  /// SpecialIds::name. Throws at `where` for a damaged model, and like Vocabulary::of.
  PieceTokenizer(std::string sentencepiece_model, std::vector<std::string> tokens, const SpecialIds& specials,
                 const std::string& where);
  ~PieceTokenizer() override;

  /// Reads a tokenizer from the bytes that `serialize` returned; `where` names the file. Throws like the constructor.
  /// Errors in the vocabulary also name the line.
  static std::unique_ptr<PieceTokenizer> parse(std::string_view bytes, const std::string& where);

  /// Encodes a language code at the start of the text (`>>fra<<`) as one token if the vocabulary has it. Unknown pieces
  /// become unk.
  std::vector<int> encode(std::string_view text) const override;

  /// Drops special tokens, including unk.
  std::string decode(std::span<const int> ids) const override;

  int vocabulary_size() const override { return vocabulary_.size(); }
  const SpecialIds& specials() const override { return vocabulary_.specials(); }
  std::string kind() const override { return std::string(name); }
  std::string token(int id) const override { return vocabulary_.token(id); }
  std::vector<ScoredPiece> pieces() const override;

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
