#include "data/tokenizers/line_encoder.h"

#include <doctest/doctest.h>

#include <utility>

#include "base/random.h"
#include "data/tokenizers/compiled_rules.h"
#include "data/tokenizers/sentencepiece_normalizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/vocabulary_tokenizer.h"
#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;
using Sentences = std::vector<std::string>;

namespace {

/// Characters that normalization changes, drops, joins or turns into spaces, known and unknown letters, and parts of
/// names of special tokens.
const Sentences odd_characters = {"a",      "b",      "c",      "e",      "न", "क्",      "ß",      "ﬁ",
                                  "É",      "☃",      "<",      "s>",     "/", "\u0301", "\u200B", "\u200C",
                                  "\u200D", "\u200E", "\uFEFF", "\u00A0", " ", "  ",     "\u3000", "\u2581",
                                  "\uFDFA", "\u00A8", "\uFFFD", "你",     "✓", "\t"};

std::string random_text(RandomStream& random, std::size_t longest) {
  std::string text;
  for (std::size_t left = random.below(longest + 1); left > 0; --left) {
    text += odd_characters[random.below(odd_characters.size())];
    if (random.below(4) == 0) text += ' ';
  }
  return text;
}

Sentences random_sentences(RandomStream& random, std::size_t count) {
  Sentences sentences{"a b c e < / s >"};
  while (sentences.size() < count) sentences.push_back(random_text(random, 30));
  return sentences;
}

std::string model_of(const Sentences& sentences, const std::string& normalization = "nmt_nfkc") {
  return train_sentencepiece(sentences, {.vocabulary_size = 120, .normalization = normalization})->serialize();
}

/// A field of a message: text, bytes or a message.
std::string field(int number, std::string_view bytes) {
  std::string message(1, static_cast<char>(number * 8 + 2));
  for (std::size_t size = bytes.size();; size >>= 7) {
    message += static_cast<char>(size > 0x7F ? (size & 0x7F) | 0x80 : size);
    if (size <= 0x7F) break;
  }
  return message.append(bytes);
}

/// Encodes random lines, most of their words several times.
void check_equals_tokenizer(const Tokenizer& tokenizer, RandomStream& random) {
  LineEncoder encoder(tokenizer);
  Sentences words(40);
  for (std::string& word : words) word = random_text(random, 4);
  for (int i = 0; i < 400; ++i) {
    std::string line = random_text(random, 6);
    for (std::size_t left = random.below(8); left > 0; --left) line += words[random.below(words.size())] + " ";
    CAPTURE(line);
    CHECK_EQ(encoder.encode_line(line, "text", 1), tokenizer.encode(line));
  }
}

}  // namespace

TEST_CASE("lines encoded by words have the tokenizer's ids, whatever normalization does") {
  RandomStream random(1, 0);
  for (const char* normalization : {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"})
    for (int round = 0; round < 4; ++round) {
      CAPTURE(normalization);
      const SentencepieceTokenizer tokenizer(model_of(random_sentences(random, 60), normalization), "model");
      CHECK(tokenizer.word_breaks().has_value());
      check_equals_tokenizer(tokenizer, random);
    }
}

TEST_CASE("words beside which a rule with a space may apply do not stand alone") {
  RandomStream random(2, 0);
  const Sentences sentences = random_sentences(random, 60);
  const std::string model = model_of(sentences);
  struct Rule {
    std::string text, replacement;
  };
  for (const Rule& rule : {Rule{"b c", "e"}, {"a ", "b"}, {" न", " c"}, {"c  a", "aa"}}) {
    CAPTURE(rule.text);
    CompiledRules rules(SentencepieceNormalizer("nmt_nfkc", sentences).compiled());
    rules.set(rule.text, rule.replacement);
    const SentencepieceTokenizer tokenizer(model + field(3, field(2, rules.bytes())), "model");
    REQUIRE(tokenizer.word_breaks().has_value());
    check_equals_tokenizer(tokenizer, random);
  }
  const WordBreaks breaks = SentencepieceTokenizer(model, "model").word_breaks().value();
  CHECK(breaks.stands_alone("a"));
  CHECK_FALSE(breaks.stands_alone("a\u200C"));  // the model keeps ZWNJ within words only
  CHECK_FALSE(breaks.stands_alone("\u200Ca"));
  CHECK_FALSE(breaks.stands_alone("a\u2581"));
}

TEST_CASE("models whose words depend on each other are encoded line by line") {
  RandomStream random(3, 0);
  const Sentences sentences = random_sentences(random, 60);
  const std::string model = model_of(sentences);
  const auto with_rule = [&](std::string_view text, std::string_view replacement) {
    CompiledRules rules(SentencepieceNormalizer("nmt_nfkc", sentences).compiled());
    rules.set(text, replacement);
    return field(3, field(2, rules.bytes()));
  };
  using namespace std::string_literals;
  for (const std::string& change : {field(3, "\x18\0"s),                      // no space before the first word
                                    field(3, "\x20\0"s),                      // runs of spaces stay
                                    field(3, "\x28\0"s),                      // spaces are not U+2581
                                    field(2, "\xC0\x01\x01"s),                // spaces end words
                                    field(2, "\x18\x01"s),                    // a unigram model
                                    field(1, field(1, "a\u2581b")),           // a piece of two words
                                    field(1, field(1, "\u2581\u2581")),       // a piece of two spaces
                                    field(1, field(1, "c e") + "\x18\x04"s),  // a piece that is not merged
                                    with_rule(" ", "e"), with_rule("b", "e  "), with_rule("b", "\u2581")}) {
    CAPTURE(change.size());
    CHECK_FALSE(WordBreaks::of_sentencepiece(model + change).has_value());
  }
  const auto unigram = train_sentencepiece(sentences, {.model = SubwordModel::unigram, .vocabulary_size = 120});
  CHECK_FALSE(unigram->word_breaks().has_value());
  check_equals_tokenizer(*unigram, random);
  const auto words = train_word_tokenizer(sentences);
  check_equals_tokenizer(*words, random);
  // Without a piece for the space, unknown odd_characters of two words are one unknown token.
  CHECK_FALSE(WordBreaks::of_sentencepiece(field(2, "\x18\x02"s) + field(1, field(1, "a"))).has_value());
  CHECK(WordBreaks::of_sentencepiece(field(2, "\x18\x02"s) + field(1, field(1, "\u2581"))).has_value());
}

TEST_CASE("damaged models and rules are an error or no rule, never a crash") {
  RandomStream random(4, 0);
  const std::string model = model_of(random_sentences(random, 60));
  for (int i = 0; i < 300; ++i) {
    std::string damaged = model;
    for (int k = 0; k < 3; ++k) damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    if (i % 3 == 0) damaged.resize(random.below(damaged.size()));
    try {
      WordBreaks::of_sentencepiece(damaged);
    } catch (const Error&) {
    }
  }
}
