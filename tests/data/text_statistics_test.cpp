#include "data/text_statistics.h"

#include <doctest/doctest.h>

using namespace glossa;

namespace {

/// Encodes the first `count` lines of a text.
EncodedCorpus encoded(std::size_t count) {
  EncodedCorpus pairs;
  for (std::size_t i = 0; i < count; ++i) pairs.origin.push_back(i);
  return pairs;
}

}  // namespace

TEST_CASE("the usual number of words is that of the encoded sources") {
  ParallelCorpus text;
  for (int i = 0; i < 40; ++i) {
    std::string& line = text.source.emplace_back();
    for (int k = 0; k < (i < 20 ? 1 + i : 100); ++k) line += "word ";  // the second half is left out
  }
  CHECK(text_statistics(text, encoded(20)).usual_words == 19);
}

TEST_CASE("the share of sources with several sentences shows if a line is one sentence") {
  const auto with = [](int several) {
    ParallelCorpus text;
    for (int i = 0; i < 200; ++i)
      text.source.emplace_back(i < several ? "I am tired. Where is it?" : "I met Mr. Hill.");
    return text_statistics(text, encoded(200));
  };
  CHECK(with(0).several_percent == 0);
  CHECK(with(41).several_percent == 20);
  CHECK(with(200).several_percent == 100);
  CHECK(with(41).has_one_sentence_a_line());
  CHECK_FALSE(with(42).has_one_sentence_a_line());
  CHECK(TextStatistics().has_one_sentence_a_line());  // unknown
  CHECK(text_statistics({}, {}).several_percent == -1);
}

TEST_CASE("sentences are also found in text without capitals, and by the rules of the language") {
  const auto percent = [](std::string_view line, std::string_view language = {}) {
    ParallelCorpus text;
    text.source.emplace_back(line);
    return text_statistics(text, encoded(1), language).several_percent;
  };
  CHECK(percent("i am tired. where is it?") == 100);
  CHECK(percent("я устал. где вокзал?") == 100);
  CHECK(percent("i met mr. hill at 5 p.m. there.") == 0);
  CHECK(percent("He said so. and went on") == 0);
  CHECK(percent("यह ठीक है। वह नहीं।") == 100);
  CHECK(percent("I am 25. Where do you live?") == 0);
  CHECK(percent("I am 25. Where do you live?", "en") == 100);
}

TEST_CASE("of a large corpus, a sample of the lines shows the share of several sentences") {
  ParallelCorpus text;
  for (int i = 0; i < 250'000; ++i) text.source.emplace_back(i % 2 == 0 || i < 50'000 ? "Ab. Cd." : "Ab.");
  const std::int64_t percent = text_statistics(text, encoded(250'000)).several_percent;
  CHECK(percent >= 59);
  CHECK(percent <= 61);
}
