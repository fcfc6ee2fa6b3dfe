#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace glossa {

/// Tokenizer into subwords, by the sentencepiece library (Kudo and Richardson 2018). The saved file is the library's
/// own model, byte for byte, which the library's other tools can read.
class SentencepieceTokenizer : public Tokenizer {
 public:
  /// Takes a serialized model. If the model has no `<s>`, the padding token begins a sentence. Throws at `where` for a
  /// damaged model, and for a model without `<unk>`, `<pad>` or `</s>`.
  SentencepieceTokenizer(std::string model, const std::string& where);
  ~SentencepieceTokenizer() override;

  std::vector<int> encode(std::string_view text) const override;
  std::string decode(std::span<const int> ids) const override;
  int vocabulary_size() const override;
  const SpecialIds& specials() const override { return specials_; }
  std::string kind() const override { return "sentencepiece"; }
  std::string token(int id) const override;
  std::vector<ScoredPiece> pieces() const override;
  std::optional<WordBreaks> word_breaks() const override { return WordBreaks::of_sentencepiece(model_); }
  std::string serialize() const override { return model_; }

 private:
  void check_id(int id) const;

  std::string model_;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  SpecialIds specials_;
};

enum class SubwordModel { bpe, unigram };

struct SentencepieceOptions {
  SubwordModel model = SubwordModel::bpe;
  int vocabulary_size = 8000;              // soft limit: a small corpus yields fewer pieces, see vocabulary_size()
  double character_coverage = 1.0;         // share of characters kept; by the library's rounding, 1 may leave out 3e-8
  std::string normalization = "nmt_nfkc";  // or identity, nfkc, nmt_nfkc_cf, nfkc_cf; see SentencepieceNormalizer
  SpecialIds specials = {};
};

/// Trains a model in memory on all `sentences`, even very long ones. Uses one thread, so the same sentences always give
/// the same model, byte for byte. Throws if there is no text, if `specials` has no unknown id, or if the vocabulary is
/// smaller than the number of characters. Also throws for options that the library refuses. All characters are learned
/// except U+2585; U+2581 counts as a space.
std::unique_ptr<Tokenizer> train_sentencepiece(std::span<const std::string> sentences,
                                               const SentencepieceOptions& options = {});

}  // namespace glossa
