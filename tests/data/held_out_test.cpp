#include "data/held_out.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

ParallelCorpus corpus_of_pairs(const Pairs& pairs) {
  std::vector<std::string> source, target;
  for (const auto& [s, t] : pairs) {
    source.push_back(s);
    target.push_back(t);
  }
  ParallelCorpus corpus = corpus_of(source, target);
  corpus.report.lines = corpus.report.pairs = std::ssize(pairs);
  return corpus;
}

Pairs numbered(int first, int count) {
  Pairs pairs;
  for (int i = first; i < first + count; ++i)
    pairs.emplace_back(fmt::format("source {}", i), fmt::format("target {}", i));
  return pairs;
}

Pairs pairs_of(const ParallelCorpus& corpus) {
  Pairs pairs;
  for (std::size_t i = 0; i < corpus.source.size(); ++i) pairs.emplace_back(corpus.source[i], corpus.target[i]);
  return pairs;
}

Pairs sorted(Pairs pairs) {
  std::ranges::sort(pairs);
  return pairs;
}

bool holds(const Pairs& pairs, const std::pair<std::string, std::string>& pair) {
  return std::ranges::find(pairs, pair) != pairs.end();
}

}  // namespace

TEST_CASE("each pair is in one part, in the order of the corpus, with its line") {
  const ParallelCorpus whole = corpus_of_pairs(numbered(0, 100));
  const SplitCorpus split = hold_out(whole, {.valid = 20, .test = 10}, "data.split");
  Pairs all;
  for (const ParallelCorpus* part : {&split.training, &split.validation, &split.test}) {
    CHECK(std::ranges::is_sorted(part->lines));
    CHECK(part->report.pairs == std::ssize(part->source));
    for (std::size_t i = 0; i < part->source.size(); ++i) {
      const auto place = static_cast<std::size_t>(part->line(i)) - 1;
      CHECK(part->source[i] == whole.source[place]);
      CHECK(part->target[i] == whole.target[place]);
    }
    const Pairs pairs = pairs_of(*part);
    all.insert(all.end(), pairs.begin(), pairs.end());
  }
  CHECK(split.validation.source.size() == 20);
  CHECK(split.test.source.size() == 10);
  CHECK(sorted(all) == sorted(pairs_of(whole)));
  CHECK(describe(split.training.report) == "70 pairs from 100 lines, 30 other pairs held out of training");
  CHECK(describe(split.test.report) == "10 pairs from 10 lines");
  ParallelCorpus memory = whole;
  std::swap(memory.report.lines, memory.report.units);
  const SplitCorpus units = hold_out(memory, {.valid = 20, .test = 10}, "data.split");
  CHECK(describe(units.training.report) == "70 pairs from 100 units, 30 other pairs held out of training");
  CHECK(describe(units.validation.report) == "20 pairs from 20 units");
  CHECK(describe(units.test.report) == "10 pairs from 10 units");
  CHECK(split.training.name == "corpus");
  CHECK(split.validation.name == "corpus (held out)");
}

TEST_CASE("neither the order of the corpus nor the machine decides what is held out") {
  Pairs pairs = numbered(0, 60);
  const SplitCorpus split = hold_out(corpus_of_pairs(pairs), {.valid = 5, .test = 5}, "data.split");
  std::ranges::reverse(pairs);
  const SplitCorpus reversed = hold_out(corpus_of_pairs(pairs), {.valid = 5, .test = 5}, "data.split");
  CHECK(sorted(pairs_of(split.validation)) == sorted(pairs_of(reversed.validation)));
  CHECK(sorted(pairs_of(split.test)) == sorted(pairs_of(reversed.test)));
  CHECK(split.validation.lines == std::vector<std::int64_t>{14, 26, 35, 37, 60});
}

TEST_CASE("a held-out source has one pair held out and none in training, whatever the translation") {
  Pairs pairs;
  for (int round = 0; round < 3; ++round)
    for (const auto& [source, target] : numbered(0, 20)) pairs.emplace_back(source, round < 2 ? target : "another");
  const SplitCorpus split = hold_out(corpus_of_pairs(pairs), {.valid = 4, .test = 3}, "data.split");
  CHECK(split.validation.source.size() == 4);
  CHECK(split.test.source.size() == 3);
  CHECK(split.training.source.size() == 3 * 13);
  for (const ParallelCorpus* part : {&split.validation, &split.test})
    for (const std::string& source : part->source)
      CHECK(std::ranges::find(split.training.source, source) == split.training.source.end());
  CHECK(describe(split.training.report) ==
        "39 pairs from 60 lines, 7 other pairs held out of training; left out: same-source 14 (the same source is held "
        "out)");
}

TEST_CASE("a corpus that has grown does not hold out pairs it was trained on") {
  Pairs pairs = numbered(0, 200);
  const HeldOut held_out{.valid = 20, .test = 20};
  const Pairs trained_on = pairs_of(hold_out(corpus_of_pairs(pairs), held_out, "data.split").training);
  const Pairs more = numbered(200, 300);
  pairs.insert(pairs.begin(), more.begin(), more.end());
  const SplitCorpus grown = hold_out(corpus_of_pairs(pairs), held_out, "data.split");
  for (const ParallelCorpus* part : {&grown.validation, &grown.test})
    for (const auto& pair : pairs_of(*part)) CHECK_FALSE(holds(trained_on, pair));
}

TEST_CASE("training keeps the pairs of at least one source") {
  const HeldOut held_out{.valid = 4, .test = 3};
  CHECK(hold_out(corpus_of_pairs(numbered(0, 8)), held_out, "data.split").training.source.size() == 1);
  Pairs pairs = numbered(0, 7);
  pairs.emplace_back(pairs.front().first, "another");
  CHECK(error_of<Error>([&] { hold_out(corpus_of_pairs(pairs), held_out, "data.split"); }) ==
        "[data.split] expected more distinct source sentences in corpus than the 7 held out for validation and "
        "testing; got 7. Hint: use more text, or hold out fewer");
}
