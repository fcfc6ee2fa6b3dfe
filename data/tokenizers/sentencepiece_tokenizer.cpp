#include "data/tokenizers/sentencepiece_tokenizer.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/check.h"
#include "data/text/utf8.h"
#include "data/tokenizers/sentencepiece_library.h"
#include "data/tokenizers/sentencepiece_normalizer.h"

namespace glossa {
namespace {

using sentencepiece::util::Status;

constexpr int longest_line = 1 << 30;  // the library's maximum in bytes. The default of 4192 would drop longer lines

/// The minimum size of the vocabulary if the library reports that `wanted` is too small, otherwise 0. Only the library
/// knows the number of characters after normalization.
int min_vocabulary(const Status& status, int wanted) {
  const std::string text = reason(status), before = fmt::format("required_chars. {} vs ", wanted);
  const std::size_t at = text.find(before);
  return at == text.npos ? 0 : std::atoi(text.c_str() + at + before.size());
}

/// Passes sentences to the library, changing text that its trainer would alter or cannot process. The trainer drops
/// lines with U+2585, and reserves TAB; here both become spaces. It cuts out the names of special tokens, such as
/// `</s>`, with all their characters; a space after the `<` prevents this. Its BPE crashes on a word of more than
/// 32,768 characters; spaces divide such words.
class Sentences : public sentencepiece::SentenceIterator {
 public:
  Sentences(std::span<const std::string> sentences, const SpecialIds& specials,
            const SentencepieceNormalizer& normalizer)
      : rest_(sentences), specials_(specials), normalizer_(normalizer) {}
  bool done() const override { return rest_.empty(); }
  void Next() override { rest_ = rest_.subspan(1); }
  const std::string& value() const override {
    value_ = rest_.front();
    for (const std::string_view mark : {"\t", "\u2585"})
      for (std::size_t at = 0; (at = value_.find(mark, at)) != std::string::npos;)
        value_.replace(at, mark.size(), 1, ' ');
    if (may_need_spaces(value_)) add_spaces(value_);
    return value_;
  }
  Status status() const override { return {}; }

 private:
  // Normalization turns the 3 bytes of U+FDFA into 18 characters.
  static constexpr std::size_t longest_word = 32'000, characters_per_byte = 6;

  static bool may_need_spaces(const std::string& text) {
    const auto has = [&](std::string_view bracket) { return text.find(bracket) != text.npos; };
    return text.size() > longest_word / characters_per_byte || has("<") || has("\uFE64") || has("\uFF1C");
  }

  /// If the text needs spaces, replaces it with its normalized form with these spaces added. Works on normalized text,
  /// because the trainer looks for names and words after normalizing.
  void add_spaces(std::string& text) const {
    std::string normalized = normalizer_(text);
    const std::size_t size = normalized.size();
    for (const int id : {specials_.unk, specials_.pad, specials_.bos, specials_.eos})
      for (std::size_t at = 0; (at = normalized.find(specials_.name(id), at)) != normalized.npos;)
        normalized.insert(++at, 1, ' ');
    std::size_t length = 0;
    for (std::size_t at = 0; at < normalized.size(); at += utf8::first(std::string_view(normalized).substr(at)).bytes) {
      length = normalized[at] == ' ' ? 0 : length + 1;
      if (length > longest_word) normalized.insert(at, 1, ' '), length = 0;
    }
    if (normalized.size() > size) text = std::move(normalized);
  }

  std::span<const std::string> rest_;
  const SpecialIds& specials_;
  const SentencepieceNormalizer& normalizer_;
  mutable std::string value_;
};

}  // namespace

SentencepieceTokenizer::SentencepieceTokenizer(std::string model, const std::string& where)
    : model_(std::move(model)), processor_(load_sentencepiece(model_, where, "a vocabulary or a sentencepiece model")) {
  specials_ = {processor_->unk_id(), processor_->pad_id(), processor_->bos_id(), processor_->eos_id()};
  if (specials_.bos < 0) specials_.bos = specials_.pad;
  check_specials(specials_, processor_->GetPieceSize(), where);
}

SentencepieceTokenizer::~SentencepieceTokenizer() = default;

int SentencepieceTokenizer::vocabulary_size() const { return processor_->GetPieceSize(); }

void SentencepieceTokenizer::check_id(int id) const {
  check(id >= 0 && id < vocabulary_size(), kind(), "expected an id from 0 to {}; got {}", vocabulary_size() - 1, id);
}

std::vector<int> SentencepieceTokenizer::encode(std::string_view text) const {
  std::vector<int> ids;
  const Status status = processor_->Encode({text.data(), text.size()}, &ids);
  check(status.ok(), kind(), "cannot encode the text: {}", reason(status));
  return ids;
}

std::string SentencepieceTokenizer::decode(std::span<const int> ids) const {
  for (const int id : ids) check_id(id);
  std::string text;
  const Status status = processor_->Decode(std::vector<int>(ids.begin(), ids.end()), &text);
  check(status.ok(), kind(), "cannot decode the ids: {}", reason(status));
  return text;
}

std::string SentencepieceTokenizer::token(int id) const {
  check_id(id);
  return processor_->IdToPiece(id);
}

std::vector<ScoredPiece> SentencepieceTokenizer::pieces() const {
  std::vector<ScoredPiece> pieces;
  for (int id = 0; id < vocabulary_size(); ++id) pieces.push_back(scored_piece(*processor_, id));
  return pieces;
}

std::unique_ptr<Tokenizer> train_sentencepiece(std::span<const std::string> sentences,
                                               const SentencepieceOptions& options) {
  const SpecialIds& specials = options.specials;
  check(specials.unk >= 0, "sentencepiece", "expected an id for <unk>, which the library needs; got {}", specials.unk);
  check_specials(specials, options.vocabulary_size, "sentencepiece");
  const bool text = std::any_of(sentences.begin(), sentences.end(), [](const std::string& sentence) {
    return sentence.find_first_not_of(' ') != std::string::npos;
  });
  check(text, "sentencepiece", "expected sentences to train on; got none");
  const SentencepieceNormalizer normalizer(options.normalization, sentences);
  Sentences input(sentences, specials, normalizer);
  std::string model;
  const Status status = sentencepiece::SentencePieceTrainer::Train(
      {{"model_type", options.model == SubwordModel::bpe ? "bpe" : "unigram"},
       {"vocab_size", std::to_string(options.vocabulary_size)},
       {"hard_vocab_limit", "false"},
       {"character_coverage", fmt::format("{}", options.character_coverage)},
       {"normalization_rule_name", options.normalization},
       {"precompiled_charsmap", normalizer.compiled()},
       {"max_sentence_length", std::to_string(longest_line)},
       {"unk_id", std::to_string(specials.unk)},
       {"pad_id", std::to_string(specials.pad)},
       {"bos_id", std::to_string(specials.starts_with_padding() ? -1 : specials.bos)},
       {"eos_id", std::to_string(specials.eos)},
       {"num_threads", "1"},
       {"minloglevel", "2"}},
      &input, &model);
  if (const int minimum = min_vocabulary(status, options.vocabulary_size); minimum > 0)
    misuse("SentencepieceOptions::vocabulary_size",
           "expected at least {}, one for each character of the text and for the special tokens; got {}. Hint: raise "
           "it, or lower SentencepieceOptions::character_coverage, which makes rare characters unknown",
           minimum, options.vocabulary_size);
  check(status.ok(), "sentencepiece", "cannot learn {} pieces from {} sentences: {}", options.vocabulary_size,
        sentences.size(), reason(status));
  return std::make_unique<SentencepieceTokenizer>(std::move(model), "sentencepiece");
}

}  // namespace glossa
