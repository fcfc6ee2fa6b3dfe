#include "train/corpora/corpus_doubts.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/support/temporary_folder.h"

using namespace glossa;
using Lines = std::vector<std::string>;

namespace {

ParallelCorpus corpus_of(Lines source, Lines target) {
  ParallelCorpus corpus;
  corpus.name = "pairs.tsv";
  corpus.source = std::move(source);
  corpus.target = std::move(target);
  return corpus;
}

Lines doubts(Lines source, Lines target, const DataConfig& config = {}, std::vector<ParallelCorpus> watched = {}) {
  target.resize(source.size(), target.front());
  return corpus_doubts(config, {.training = corpus_of(std::move(source), std::move(target)),
                                .validation = {},
                                .split = {},
                                .watched = std::move(watched)});
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

TEST_CASE("training text among the watched corpora, and as data.test under any name, gives a warning") {
  const Lines source{"One.", "Two."}, target{"Eins.", "Zwei."};
  const ParallelCorpus part = corpus_of({"Two."}, {"Zwei."}), other = corpus_of({"Two."}, {"Drei."});
  CHECK(doubts(source, target, {}, {other, part}) ==
        Lines{"pairs.tsv is in both data.valid and data.train: its scores show memorization, not learning"});
  CHECK(doubts(source, target, {}, {other}).empty());

  const glossa::testing::TemporaryFolder folder;
  folder.write("train.en", "One.\n");
  folder.write("other.en", "Two.\n");
  folder.write("train.tsv", "One.\tEins.\n");
  std::filesystem::create_symlink("train.en", folder.path() / "link.en");
  DataConfig config;
  config.source = "en";
  config.train = Lines{folder / "other", folder / "train", folder / "train.tsv"};
  for (const char* name : {"train", "./train", "link", "train.tsv"}) {
    config.test = folder / name;
    CHECK(doubts(source, target, config) ==
          Lines{config.test + " is in both data.test and data.train: its scores show memorization, not learning"});
  }
  for (const std::string& name : Lines{folder / "missing", "toy:100", ""}) {
    config.test = name;
    CHECK(doubts(source, target, config).empty());
  }
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
  config.lowercase = true;
  CHECK(doubts({"one"}, target, config).empty());
  config.lowercase = false;
  config.train = "toy:50000";
  CHECK(doubts({"one"}, target, config).empty());  // the user did not choose its letters
}

TEST_CASE("the first pair is shown, shortened between characters") {
  CHECK(first_pair(corpus_of({"Go."}, {"Geh."})) == "first pair: source 'Go.'\n    target 'Geh.'");
  std::string text;
  for (int i = 0; i < 37; ++i) text += "é";
  CHECK(first_pair(corpus_of({text}, {"x"})) == "first pair: source '" + text.substr(0, 72) + "...'\n    target 'x'");
}

TEST_CASE("corpora that are too small give a warning, unless a model is fine-tuned or the corpus is a toy") {
  Config config;
  config.data.train = CorpusNames("pairs.tsv");
  const auto doubts_of = [&](std::size_t training, std::size_t validation) {
    return size_doubts(config, {.training = corpus_of(Lines(training, "a"), Lines(training, "b")),
                                .validation = corpus_of(Lines(validation, "a"), Lines(validation, "b")),
                                .split = {},
                                .watched = {}});
  };
  CHECK(doubts_of(1000, 20).empty());
  const Lines both = doubts_of(60, 3);
  REQUIRE(both.size() == 2);
  CHECK(
      both[0].starts_with("pairs.tsv has 60 pairs; a model trained on less than 3,000 mostly memorizes them. Hint: "));
  CHECK(both[1].starts_with("only 3 pairs for validation: "));
  config.train.warm_start = "pretrained";
  CHECK(doubts_of(60, 20).empty());
  config.data.train = CorpusNames("toy:300");
  CHECK(doubts_of(60, 3).empty());
}
