// Pairs selected by a configuration: from its files, held out from one, or from its test corpora.
#include "data/corpora/datasets.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "base/check.h"
#include "config/config.h"
#include "data/tokenizers/piece_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/toy/corpus.h"
#include "tests/support/packed_files.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;
using Pairs = std::set<std::pair<std::string, std::string>>;

namespace {

/// A table of 60 pairs, and two of them in separate files.
class Texts {
 public:
  Texts() {
    std::string table;
    for (int i = 0; i < 60; ++i) table += fmt::format("sentence {0}\tSatz {0}\n", i);
    folder_.write("pairs.tsv", table);
    folder_.write("two.en", "one\ntwo\n");
    folder_.write("two.de", "eins\nzwei\n");
  }

  std::string operator/(const std::string& name) const { return folder_ / name; }

  DataConfig config(std::vector<std::string> sets) const {
    sets.insert(sets.begin(), "data.train=" + *this / "pairs.tsv");
    Config config = load_config("", sets);
    config.train.max_epochs = {1, Period::Unit::epochs};
    validate(config);
    return config.data;
  }

 private:
  TemporaryFolder folder_;
};

Pairs pairs_of(const ParallelCorpus& corpus) {
  Pairs pairs;
  for (std::size_t i = 0; i < corpus.source.size(); ++i) pairs.emplace(corpus.source[i], corpus.target[i]);
  return pairs;
}

Pairs pairs_of(const std::vector<ToyPair>& corpus) {
  Pairs pairs;
  for (const ToyPair& pair : corpus) pairs.emplace(pair.english, pair.hindi);
  return pairs;
}

std::size_t count(const ParallelCorpus& corpus) { return corpus.source.size(); }

}  // namespace

TEST_CASE("one file gives disjoint training, validation and test pairs") {
  const Texts texts;
  const DataConfig config = texts.config({"data.split=7/5"});
  const Corpora corpora = read_corpora(config, 1);
  const ParallelCorpus test = read_test_corpus(config, 1);
  CHECK(count(corpora.training) == 48);
  CHECK(count(corpora.validation) == 7);
  CHECK(count(test) == 5);
  CHECK(corpora.split == HeldOut{7, 5});
  Pairs all = pairs_of(corpora.training);
  all.merge(pairs_of(corpora.validation));
  all.merge(pairs_of(test));
  CHECK(all.size() == 60);
}

TEST_CASE("data.split: auto holds out a twentieth for each part that has no file") {
  const Texts texts;
  CHECK(read_corpora(texts.config({"data.split=auto"}), 1).split == HeldOut{3, 3});
  CHECK(count(read_test_corpus(texts.config({"data.split=auto"}), 1)) == 3);
  CHECK(read_corpora(texts.config({"data.split=auto", "data.test=" + texts / "two"}), 1).split == HeldOut{3, 0});
  const DataConfig both = texts.config({"data.split=auto", "data.valid=" + texts / "two"});
  CHECK(read_corpora(both, 1).split == HeldOut{});
  CHECK(count(read_corpora(both, 1).training) == 60);
  CHECK(pairs_of(read_corpora(both, 1).validation) == Pairs{{"one", "eins"}, {"two", "zwei"}});
  const DataConfig toy = load_config("", {"data.train=toy:40", "data.target=hi", "data.split=auto"}).data;
  CHECK(read_corpora(toy, 1).split == HeldOut{});

  std::string many;
  for (int i = 0; i < 30'000; ++i) many += fmt::format("{0}\t{0}\n", i);
  write_bytes(texts / "pairs.tsv", many);
  CHECK(read_corpora(texts.config({"data.split=auto"}), 1).split == HeldOut{1000, 1000});

  many.clear();
  for (int i = 0; i < 960; ++i) many += fmt::format("{}\t{}\n", i % 60, i);
  write_bytes(texts / "pairs.tsv", many);  // further translations of a sentence do not count as sentences
  const Corpora corpora = read_corpora(texts.config({"data.split=auto"}), 1);
  CHECK(corpora.split == HeldOut{3, 3});
  CHECK(count(corpora.training) == 54 * 16);
}

TEST_CASE("the test corpus is data.test or the test part of data.split") {
  const Texts texts;
  CHECK(pairs_of(read_test_corpus(texts.config({"data.test=" + texts / "two"}), 1)) ==
        Pairs{{"one", "eins"}, {"two", "zwei"}});
  const DataConfig held_out = texts.config({"data.split=2/0", "data.test=" + texts / "two"});
  CHECK(count(read_test_corpus(held_out, 1)) == 2);
  CHECK(count(read_corpora(held_out, 1).training) == 58);
  for (const char* split : {"none", "3/0"})
    CHECK(error_of<Error>([&] { read_test_corpus(texts.config({std::string("data.split=") + split}), 1); }) ==
          "[data.test] expected a test corpus, or a data.split that holds one out; got neither. Hint: name one with "
          "--test");
}

TEST_CASE("train.seed also draws the toy corpus") {
  const DataConfig toy = load_config("", {"data.train=toy:500", "data.target=hi"}).data;
  constexpr std::uint64_t seed = 2;
  const ToySplits drawn = toy_corpus(500, seed);
  const Corpora corpora = read_corpora(toy, seed);
  std::vector<std::string> english;
  for (const ToyPair& pair : drawn.train) english.push_back(pair.english);
  CHECK(corpora.training.source == english);
  CHECK(pairs_of(corpora.training) == pairs_of(drawn.train));
  CHECK(pairs_of(corpora.validation) == pairs_of(drawn.valid));
  CHECK(pairs_of(read_test_corpus(toy, seed)) == pairs_of(drawn.test));
}

TEST_CASE("a held-out part cannot have its own corpus as well") {
  const Texts texts;
  const auto error = [&](std::vector<std::string> sets) { return error_of<Error>([&] { texts.config(sets); }); };
  CHECK(error({"data.split=3/0", "data.valid=v"}) ==
        "[data.valid] expected nothing with a data.split that holds out 3 pairs for it; got v. Hint: remove one of the "
        "two");
  CHECK(error({"data.split=0/4", "data.test=t"}) ==
        "[data.test] expected nothing with a data.split that holds out 4 pairs for it; got t. Hint: remove one of the "
        "two");
  CHECK(error({"data.split=0/4", "data.valid=v"}).empty());
  CHECK(error({"data.split=3/3", "data.train=toy:40"}) ==
        "[data.split] expected none with a toy corpus, which has its own splits; got 3/3");
  CHECK(error({"data.split=auto", "data.train=toy:40"}).empty());
  CHECK(error({"data.test=toy:0"}) == "[data.test] expected toy:PAIRS such as toy:50000; got 'toy:0'");
}

TEST_CASE("a shared vocabulary has the words of both sides, separate ones have their own") {
  const Texts texts;
  for (const bool shared : {true, false}) {
    DataConfig config = texts.config({"data.tokenizer=words"});
    config.shared_vocabulary = shared;
    const auto [source, target] = train_tokenizers(config, read_corpora(config, 1).training);
    CHECK_EQ(source == target, shared);
    CHECK_EQ(source->encode("Satz")[0] == source->specials().unk, !shared);
    CHECK_EQ(target->encode("sentence")[0] == target->specials().unk, !shared);
  }
}

TEST_CASE("pieces are not learned from a corpus; two models over one vocabulary are shared, and saved as two files") {
  const Texts texts;
  DataConfig config = texts.config({"data.tokenizer=pieces"});
  CHECK(error_of<Error>([&] { train_tokenizers(config, read_corpora(config, 1).training); })
            .starts_with("[data.tokenizer] expected words, characters or sentencepiece, which are learned from a "
                         "corpus; got pieces"));
  const auto model = [](const char* text) {
    return train_sentencepiece(std::vector<std::string>(20, text), {.vocabulary_size = 30})->serialize();
  };
  const auto tokens = [](const char* last) {
    return std::vector<std::string>{"</s>", "<unk>", "a", "b", "c", last, "<pad>"};
  };
  const SpecialIds specials{.unk = 1, .pad = 6, .bos = 6, .eos = 0};
  const auto pieces = [&](const char* text, const char* last) {
    return std::make_shared<PieceTokenizer>(model(text), tokens(last), specials, "spm");
  };
  const Tokenizers both{pieces("a b c", "d"), pieces("c b a d", "d")},
      apart{pieces("a b c", "d"), pieces("a b c", "e")};
  CHECK(both.shared());
  CHECK_FALSE(apart.shared());
  const TemporaryFolder run;
  save_tokenizers(both, config, run.path());
  const Tokenizers again = load_tokenizers(config, run.path());
  CHECK(again.shared());
  CHECK(again.fingerprint() == both.fingerprint());
  CHECK(again.source->serialize() == both.source->serialize());
  CHECK(again.target->serialize() == both.target->serialize());
  save_tokenizers(apart, config, run.path());
  CHECK(error_of<Error>([&] {
          load_tokenizers(config, run.path());
        }).find("target.pieces.model] expected the source's vocabulary") != std::string::npos);
  config.shared_vocabulary = false;
  CHECK_FALSE(load_tokenizers(config, run.path()).shared());
}

TEST_CASE("a missing file is reported with the option that names its language") {
  const Texts texts;
  const auto message = [&](const char* language) {
    try {
      read_corpora(texts.config({"data.train=" + texts / "two", language}), 1);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message("data.target=es").find("(`es` is data.target)") != std::string::npos);
  CHECK(message("data.source=fr").find("(`fr` is data.source)") != std::string::npos);
}

TEST_CASE("several corpora of any kind are joined in order, with duplicates counted over all of them") {
  const Texts texts;
  const std::string memory =
      "<tmx version=\"1.4\"><body><tu><tuv xml:lang=\"en-GB\"><seg>one</seg></tuv><tuv "
      "xml:lang=\"de\"><seg>eins</seg></tuv>"
      "</tu><tu>\n<tuv xml:lang=\"en\"><seg>three</seg></tuv><tuv "
      "xml:lang=\"de\"><seg>drei</seg></tuv></tu></body></tmx>";
  write_bytes(texts / "memory.tmx", memory);
  const auto list = [&](const char* more) {
    return texts.config({"data.train=[" + texts / "two" + ", " + texts / "memory.tmx" + "]", more});
  };
  const ParallelCorpus all = read_corpora(list("data.duplicates=keep"), 1).training;
  CHECK(all.source == std::vector<std::string>{"one", "two", "one", "three"});
  CHECK(all.place(3) == texts / "memory.tmx" + ", unit 2");
  CHECK(describe(all.report) == "4 pairs (including 1 duplicate) from 2 lines and 2 units");
  const ParallelCorpus different = read_corpora(list("data.duplicates=drop"), 1).training;
  CHECK(different.source == std::vector<std::string>{"one", "two", "three"});
  CHECK(describe(different.report) == "3 pairs from 2 lines and 2 units; left out: duplicate 1");
  const Corpora split = read_corpora(list("data.split=1/1"), 1);
  CHECK(split.training.source.size() + split.validation.source.size() ==
        2 + 2 - 1 - (split.training.report.same_source));
  CHECK(read_test_corpus(list("data.split=1/1"), 1).source.size() == 1);
  CHECK(read_test_corpus(texts.config({"data.test=" + texts / "memory.tmx"}), 1).source.size() == 2);
}

TEST_CASE("folders, patterns and archives are read as the list of their corpora, and each name is a group") {
  const Texts texts;
  fs::create_directory(texts / "folder");
  write_bytes(texts / "folder/b.tsv", "three\tdrei\n");
  write_bytes(texts / "folder/a.zip", zip_archive({{"README", ""}, {"x.en", "four\n\n"}, {"x.de", "vier\n\n"}}));
  write_bytes(texts / "two.fr", "un\ndeux\n");
  const DataConfig config = texts.config({"data.train=[" + texts / "folder" + ", " + texts / "t*o" + "]"});
  const ParallelCorpus all = read_corpora(config, 1).training;
  CHECK(all.source == std::vector<std::string>{"four", "three", "one", "two"});
  CHECK(all.name == texts / "folder" + ", " + texts / "t*o");
  CHECK(all.place(0) == texts / "folder/a.zip/x:1");
  CHECK(describe(all.report) == "4 pairs from 5 lines; left out: empty 1 (1 on both sides)");
  std::vector<std::uint32_t> groups;
  for (const CorpusPart& part : all.parts) groups.push_back(part.group);
  CHECK(groups == std::vector<std::uint32_t>{0, 0, 1});
  CHECK(ignored_files(config, {}) == std::vector<std::string>{texts / "folder/a.zip/README"});
  CHECK(located(config, {}).train ==
        CorpusNames(std::vector{texts / "folder/a.zip/x", texts / "folder/b.tsv", texts / "two"}));
  // One of several corpora may be empty, but not all.
  write_bytes(texts / "folder/c.tsv", "");
  CHECK(count(read_corpora(config, 1).training) == 4);
  fs::create_directory(texts / "empty");
  for (const char* name : {"empty/a.tsv", "empty/b.tsv"}) write_bytes(texts / name, "\n");
  CHECK(error_of<Error>(
            [&] { read_corpora(texts.config({"data.train=[" + texts / "two" + ", " + texts / "empty" + "]"}), 1); })
            .ends_with(
                "/empty] expected at least one pair of sentences; got none: 0 pairs from 2 lines; left out: empty 2 "
                "(2 on both sides). Hint: a pair needs text on both sides"));
  // Also where one corpus is meant.
  CHECK(count(read_corpora(texts.config({"data.valid=" + texts / "folder"}), 1).validation) == 2);
  CHECK(count(read_test_corpus(texts.config({"data.test=" + texts / "folder/a.zip"}), 1)) == 1);
}

TEST_CASE("there is a weight for each name of data.train") {
  const Texts texts;
  CHECK_NOTHROW(texts.config({"data.weights=[3]"}));
  const std::string list = "data.train=[" + texts / "two" + ", " + texts / "two" + "]";
  CHECK_NOTHROW(texts.config({list, "data.weights=[3, 1]"}));
  CHECK_NOTHROW(texts.config({list, "data.weights=[]"}));
  CHECK(error_of<Error>([&] {
          texts.config({list, "data.weights=[3]"});
        }) == "[data.weights] expected one for each corpus that data.train lists, 2; got 1");
  CHECK_THROWS_AS(texts.config({"data.weights=[0]"}), Error);
}

TEST_CASE("the first of several validation corpora decides, the others are watched") {
  const Texts texts;
  write_bytes(texts / "more.tsv", "three\tdrei\n");
  const Corpora corpora =
      read_corpora(texts.config({"data.valid=[" + texts / "two" + ", " + texts / "more.tsv" + "]"}), 1);
  CHECK(corpora.validation.source == std::vector<std::string>{"one", "two"});
  REQUIRE(corpora.watched.size() == 1);
  CHECK(corpora.watched[0].source == std::vector<std::string>{"three"});
}

TEST_CASE("data.max_ratio leaves out pairs of training only") {
  DataConfig config;
  config.tokenizer = DataConfig::Tokenizer::words;
  config.encoding.max_ratio = 1.5;
  ParallelCorpus corpus;
  corpus.source = {"a", "a"};
  corpus.target = {"b b b", "b"};
  const Tokenizers tokenizers = train_tokenizers(config, corpus);
  CHECK_EQ(encode_training(config, corpus, tokenizers).size(), 1);
  CHECK_EQ(encode(config, corpus, tokenizers).size(), 2);
}
