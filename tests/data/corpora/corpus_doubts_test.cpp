#include "data/corpora/corpus_doubts.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace glossa;
using Lines = std::vector<std::string>;

namespace {

ParallelCorpus corpus_with(Lines source, Lines target) {
  ParallelCorpus corpus;
  corpus.name = "pairs.tsv";
  corpus.source = std::move(source);
  corpus.target = std::move(target);
  return corpus;
}

Lines doubts(Lines source, Lines target, const DataConfig& config = {}) {
  target.resize(source.size(), target.front());
  return corpus_doubts(config,
                       {.training = corpus_with(std::move(source), std::move(target)), .validation = {}, .split = {}});
}

}  // namespace

TEST_CASE("a side of numbers gives a warning that names its column") {
  Lines ids, sentences(20, "A sentence.");
  for (int i = 0; i < 20; ++i) ids.push_back(std::to_string(1000 + i));
  CHECK(doubts(ids, sentences) ==
        Lines{"100 % of the source side of pairs.tsv are numbers, not sentences; for a table, see data.source_column"});
  CHECK(doubts(sentences, ids) ==
        Lines{"100 % of the target side of pairs.tsv are numbers, not sentences; for a table, see data.target_column"});
  ids[3] = "Lot 7";
  ids[9] = "#12-14";
  CHECK(doubts(sentences, ids).front().starts_with("95 % of the target side"));
  for (int i = 10; i < 13; ++i) ids[static_cast<std::size_t>(i)] = "!";  // not a number either
  CHECK(doubts(sentences, ids).empty());
  CHECK(doubts(Lines(5, "१२३"), Lines(5, "A")).size() == 1);
}

TEST_CASE("the same text on both sides gives a warning") {
  CHECK(doubts({"One.", "Two.", "Three."}, {"One.", "Two.", "Drei."}) ==
        Lines{"67 % of the pairs of pairs.tsv have the same text on both sides; see data.source and data.target"});
  CHECK(doubts({"Ja.", "Two.", "Three."}, {"Ja.", "Zwei.", "Drei."}).empty());
}

TEST_CASE("training pairs among those of data.valid or data.test give a warning with their number") {
  Lines source, target;
  for (int i = 0; i < 1000; ++i) {
    source.push_back(fmt::format("Sentence {}.", i));
    target.push_back(fmt::format("Satz {}.", i));
  }
  // 1000 pairs, of which the first `shared` are training pairs.
  const auto with_shared = [&](std::size_t shared, const char* name) {
    ParallelCorpus corpus = corpus_with(source, target);
    corpus.name = name;
    for (std::size_t i = shared; i < 1000; ++i) corpus.source[i] += " New.";
    return corpus;
  };
  const auto doubts_of = [&](std::size_t valid, std::size_t watched, std::size_t test) {
    const ParallelCorpus of_test = with_shared(test, "test.tsv");
    return corpus_doubts({},
                         {.training = corpus_with(source, target),
                          .validation = with_shared(valid, "valid"),
                          .split = {},
                          .watched = {with_shared(watched, "news")}},
                         &of_test);
  };
  const std::string end =
      ", are also in data.train: their scores show memorization, not translation. Hint: remove them from data.train";
  CHECK(doubts_of(900, 0, 0) == Lines{"900 of 1000 pairs of valid, a corpus of data.valid" + end});
  CHECK(doubts_of(0, 50, 1000) == Lines{"50 of 1000 pairs of news, a corpus of data.valid" + end,
                                        "1000 of 1000 pairs of test.tsv, a corpus of data.test" + end});
  CHECK(doubts_of(49, 0, 49).empty());  // short sentences recur
  CHECK(doubts(source, target).empty());
}

TEST_CASE("a source in one letter case gives a warning, unless data.lowercase is true") {
  const Lines target{"Eins"};
  CHECK(doubts({"one, two", "état"}, target) ==
        Lines{"pairs.tsv has only lower-case source letters:\n    others will be unknown unless data.lowercase: true "
              "lowercases all text, also when translating"});
  CHECK(doubts({"ONE"}, target).front().find("only upper-case source letters") != std::string::npos);
  CHECK(doubts({"one", "Two"}, target).empty());
  CHECK(doubts({"हाँ 12", "日本"}, target).empty());  // scripts without case
  CHECK(doubts({"CDを聞く"}, target).empty());       // the rest of this one has no case
  DataConfig config;
  config.reading.lowercase = true;
  CHECK(doubts({"one"}, target, config).empty());
  config.reading.lowercase = false;
  config.train = "toy:50000";
  CHECK(doubts({"one"}, target, config).empty());  // the user did not choose its letters
}

TEST_CASE("the first pair is shown, shortened between characters") {
  CHECK(first_pair(corpus_with({"Go."}, {"Geh."})) == "first pair: source 'Go.'\n    target 'Geh.'");
  std::string text;
  for (int i = 0; i < 37; ++i) text += "é";
  CHECK(first_pair(corpus_with({text}, {"x"})) == "first pair: source '" + text.substr(0, 72) + "...'\n    target 'x'");
}

TEST_CASE("corpora that are too small give a warning, unless a model is fine-tuned or the corpus is a toy") {
  DataConfig config;
  config.train = CorpusNames("pairs.tsv");
  bool is_fine_tuned = false;
  const auto doubts_of = [&](std::size_t training, std::size_t validation) {
    ParallelCorpus text = corpus_with(Lines(training, "a"), Lines(training, "b"));
    text.report.pairs = static_cast<std::int64_t>(training);
    return size_doubts(config,
                       {.training = text,
                        .validation = corpus_with(Lines(validation, "a"), Lines(validation, "b")),
                        .split = {},
                        .watched = {}},
                       is_fine_tuned);
  };
  CHECK(doubts_of(3000, 20).empty());
  CHECK(doubts_of(3000, 0).empty());  // no validation, by choice
  CHECK(doubts_of(2999, 20).size() == 1);
  const Lines both = doubts_of(60, 3);
  REQUIRE(both.size() == 2);
  CHECK(both[0].starts_with("pairs.tsv has 60 pairs:\n    a model mostly memorizes fewer than 3,000. Hint: "));
  CHECK(both[1].starts_with("only 3 pairs for validation: "));
  is_fine_tuned = true;
  CHECK(doubts_of(60, 20).empty());
  config.train = CorpusNames("toy:300");
  CHECK(doubts_of(60, 3).empty());
}
