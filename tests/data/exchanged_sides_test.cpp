#include "data/exchanged_sides.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <array>
#include <string>
#include <utility>

#include "base/random.h"

using namespace glossa;

namespace {

/// A sentence of a made-up language, whose words are drawn from these syllables.
std::string sentence(RandomStream& random, const std::array<const char*, 6>& syllables) {
  std::string text;
  for (std::uint64_t words = 3 + random.below(5); words > 0; --words) {
    for (std::uint64_t k = 1 + random.below(3); k > 0; --k) text += syllables[random.below(syllables.size())];
    text += words > 1 ? " " : ".";
  }
  return text;
}

constexpr std::array first{"ka", "tu", "mi", "lo", "sha", "ne"}, second{"eth", "or", "und", "ist", "ka", "lo"};

/// Pairs of made-up languages.
ParallelCorpus pairs_of(int count, const std::array<const char*, 6>& source, const std::array<const char*, 6>& target,
                        const char* seed) {
  RandomStream random(1, seed);
  ParallelCorpus corpus;
  for (int i = 0; i < count; ++i) {
    corpus.source.push_back(sentence(random, source));
    corpus.target.push_back(sentence(random, target));
  }
  return corpus;
}

ParallelCorpus exchanged(ParallelCorpus corpus) {
  std::swap(corpus.source, corpus.target);
  return corpus;
}

bool exchanged_sides(const ParallelCorpus& corpus, const ParallelCorpus& other) {
  return sides_exchanged(sample_pairs(corpus), sample_pairs(other));
}

}  // namespace

TEST_CASE("exchanged sides are found in any language, and none where the sides agree") {
  const ParallelCorpus corpus = pairs_of(300, first, second, "a"), other = pairs_of(60, first, second, "b");
  CHECK_FALSE(exchanged_sides(corpus, other));
  CHECK(exchanged_sides(corpus, exchanged(other)));
  CHECK(exchanged_sides(exchanged(corpus), other));
  CHECK_FALSE(exchanged_sides(exchanged(corpus), exchanged(other)));
}

TEST_CASE("exchanged sides are not reported in doubt") {
  const ParallelCorpus corpus = pairs_of(300, first, second, "a"), other = pairs_of(60, first, second, "b");
  const ParallelCorpus few = pairs_of(29, first, second, "c");
  CHECK_FALSE(exchanged_sides(corpus, exchanged(few)));
  CHECK_FALSE(exchanged_sides(few, exchanged(other)));
  CHECK_FALSE(exchanged_sides(corpus, {}));
  CHECK_FALSE(exchanged_sides({}, other));
  // One language on both sides: a paraphrase fits either way.
  CHECK_FALSE(exchanged_sides(pairs_of(300, first, first, "a"), pairs_of(60, first, first, "b")));
  // A text of both directions, as for a model that translates both ways.
  ParallelCorpus both = corpus;
  const ParallelCorpus back = pairs_of(300, second, first, "d");
  both.source.insert(both.source.end(), back.source.begin(), back.source.end());
  both.target.insert(both.target.end(), back.target.begin(), back.target.end());
  CHECK_FALSE(exchanged_sides(both, other));
  CHECK_FALSE(exchanged_sides(both, exchanged(other)));
  CHECK_FALSE(exchanged_sides(corpus, both));
  // Text without letters, and copies.
  ParallelCorpus numbers;
  for (int i = 0; i < 40; ++i) {
    numbers.source.push_back(fmt::format("{}.", i));
    numbers.target.push_back(fmt::format("- {}", i));
  }
  CHECK_FALSE(exchanged_sides(corpus, numbers));
  ParallelCorpus copies = other;
  copies.target = copies.source;
  CHECK_FALSE(exchanged_sides(corpus, copies));
}

TEST_CASE("a sample is spread evenly over a corpus or one of its parts") {
  ParallelCorpus corpus = pairs_of(10, first, second, "a");
  CHECK_EQ(sample_pairs(corpus).source.size(), 10);
  std::vector<ParallelCorpus> parts;
  parts.push_back(pairs_of(5000, first, second, "b"));
  parts.push_back(pairs_of(70, second, first, "c"));
  const ParallelCorpus all = joined(std::move(parts));
  const PairSample sample = sample_pairs(all, 0);
  CHECK_EQ(sample.source.size(), 1667);
  CHECK_EQ(sample.target.back(), all.target[4998]);
  CHECK_EQ(sample_pairs(all, 1).source.size(), 70);
  CHECK(sides_exchanged(sample, sample_pairs(all, 1)));
}
