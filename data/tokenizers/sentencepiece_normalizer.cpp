#include "data/tokenizers/sentencepiece_normalizer.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "data/tokenizers/compiled_rules.h"
#include "data/tokenizers/proto_fields.h"
#include "data/tokenizers/sentencepiece_library.h"

namespace glossa {

namespace {

constexpr std::string_view zwnj = "\u200C", zwj = "\u200D";

/// A text of one word, for training a model that serves only for its normalizer.
class OneWord : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return done_; }
  void Next() override { done_ = true; }
  const std::string& value() const override { return word_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::string word_ = "a";
  bool done_ = false;
};

/// Returns a serialized model that normalizes by `rule`. If `compiled` is not empty, it replaces the library's rules.
std::string model_with(const std::string& rule, const std::string& compiled) {
  OneWord text;
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train({{"model_type", "char"},
                                                                  {"vocab_size", "5"},
                                                                  {"hard_vocab_limit", "false"},
                                                                  {"normalization_rule_name", rule},
                                                                  {"precompiled_charsmap", compiled},
                                                                  {"minloglevel", "2"}},
                                                                 &text, &model);
  check(status.ok(), "sentencepiece", "cannot normalize by {}: {}", rule, reason(status));
  return model;
}

/// Returns a message's first field with this number.
std::string_view field(std::string_view message, std::uint64_t number) {
  std::string_view found;
  for_each_field(message, [&](const ProtoField& field) {
    if (field.number == number && found.empty()) found = field.bytes;
  });
  return found;
}

/// The compiled rules of a serialized model: ModelProto.normalizer_spec.precompiled_charsmap.
std::string_view rules_of(std::string_view model) { return field(field(model, 3), 2); }

bool has(std::span<const std::string> sentences, std::string_view character) {
  return std::ranges::any_of(sentences, [&](const std::string& s) { return s.find(character) != s.npos; });
}

/// The library's rules, with other ones for invisible characters and U+FFFD.
std::string with_joiners(std::string_view compiled, std::span<const std::string> sentences) {
  CompiledRules rules(compiled);
  for (const std::string_view mark : {"\u200E", "\u200F", "\uFEFF"}) rules.set(mark, "");
  rules.set("\uFFFD", "\uFFFD");
  // A joiner that the model has never seen would be an unknown token inside a word.
  if (!has(sentences, zwj)) rules.set(zwj, "");
  if (!has(sentences, zwnj)) {
    rules.set(zwnj, "");
    return rules.bytes();
  }
  std::string run;
  for (int length = 1; length <= 3; ++length) {
    run += zwnj;
    rules.set(run, zwnj);
    for (const std::string space : {" ", "\u00A0", "\u200B"}) {
      rules.set(space + run, " ");
      rules.set(run + space, " ");
    }
  }
  return rules.bytes();
}

}  // namespace

SentencepieceNormalizer::SentencepieceNormalizer(const std::string& rule, std::span<const std::string> sentences) {
  std::string model = model_with(rule, "");
  compiled_ = rules_of(model);
  if (rule.starts_with("nmt_")) {
    compiled_ = with_joiners(compiled_, sentences);
    model = model_with(rule, compiled_);
  }
  processor_ = load_sentencepiece(model, "sentencepiece", "a model");
}

SentencepieceNormalizer::~SentencepieceNormalizer() = default;

std::string SentencepieceNormalizer::operator()(std::string_view text) const {
  std::vector<std::string> pieces;
  const auto status = processor_->Encode({text.data(), text.size()}, &pieces);
  check(status.ok(), "sentencepiece", "cannot normalize the text: {}", reason(status));
  std::string normalized;
  for (const std::string& piece : pieces) normalized += piece;
  constexpr std::string_view space = "\u2581";
  for (std::size_t at = 0; (at = normalized.find(space, at)) != normalized.npos;)
    normalized.replace(at, space.size(), " ");
  normalized.erase(0, normalized.find_first_not_of(' '));
  return normalized;
}

}  // namespace glossa
