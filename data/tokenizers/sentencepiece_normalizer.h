#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace glossa {

/// Unicode normalization by the rules that sentencepiece stores in a model, so that every program that reads the model
/// normalizes alike. The library's `nmt_nfkc` and `nmt_nfkc_cf` split words at invisible characters. The rules here
/// differ:
///
/// | character | library | here |
/// |---|---|---|
/// | U+200C (ZWNJ) | space | kept once per run; dropped beside a space, or if the training text has none |
/// | U+200D (ZWJ) | kept | kept; dropped if the training text has none |
/// | U+200E, U+200F, U+FEFF | space | dropped |
/// | U+200B (zero-width space) | space | space |
/// | U+FFFD | space | kept |
///
/// Rules cannot express the ends of a text or runs of any length: a ZWNJ at an end of the line is kept, and the rules
/// cover runs of up to three. All other text is normalized as in the library.
class SentencepieceNormalizer {
 public:
  /// `rule` is the library's name of a rule; `sentences` are the training text. Throws for an unknown rule.
  SentencepieceNormalizer(const std::string& rule, std::span<const std::string> sentences);
  ~SentencepieceNormalizer();

  /// The compiled rules; empty for `identity`.
  const std::string& compiled() const { return compiled_; }

  /// Returns the normalized text, without spaces at its ends.
  std::string operator()(std::string_view text) const;

 private:
  std::string compiled_;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
};

}  // namespace glossa
