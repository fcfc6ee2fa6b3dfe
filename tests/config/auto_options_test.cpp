// Values of `auto`, decided by rules that the recipe states, before anything is built from them.
#include "config/auto_options.h"

#include <doctest/doctest.h>

#include <regex>
#include <sstream>

#include "base/check.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

const fs::path small_pair = fs::path(GLOSSA_SOURCE_DIR) / "recipes/small-pair.yaml";

Config decided(std::int64_t pairs, const std::vector<std::string>& sets = {}, std::int64_t alphabet = 90) {
  return decided_for({.pairs = pairs, .alphabet = alphabet}, load_config(small_pair, sets));
}

std::vector<std::string> keys_that_may_be_auto() {
  std::vector<std::string> keys;
  for (const OptionSection& section : option_sections())
    for (const Option<Config>& option : section.options)
      if (option.may_be_auto) keys.push_back(section.name + "." + option.name);
  return keys;
}

}  // namespace

TEST_CASE("the rules are those stated in the recipe") {
  std::istringstream text(read_bytes(small_pair));
  static const std::regex row(
      "#   (fewer than +([0-9]+)|more) +([0-9]+) +([0-9]+) +([0-9]+) +([0-9]+) +([0-9.]+) +([0-9.]+)");
  std::smatch cells;
  std::int64_t below = 3'000;
  int rows = 0;
  for (std::string line; std::getline(text, line);) {
    if (!std::regex_match(line, cells, row)) continue;
    ++rows;
    const bool is_last = !cells[2].matched;
    std::vector<std::int64_t> sizes{below, is_last ? 200'000 : std::stoll(cells[2]) - 1};
    for (const std::int64_t pairs : sizes) {
      CAPTURE(pairs);
      const Config config = decided(pairs);
      CHECK(config.data.vocab_size == 90 + std::stoll(cells[3]));
      CHECK(config.data.batches.max_tokens == std::stoll(cells[4]));
      CHECK(config.model.transformer.stack.width == std::stoll(cells[5]));
      CHECK(config.model.transformer.stack.feed_forward == 4 * config.model.transformer.stack.width);
      CHECK(config.model.transformer.stack.heads == 4);
      CHECK(config.model.transformer.encoder_layers == std::stoll(cells[6]));
      CHECK(config.model.transformer.decoder_layers == std::stoll(cells[6]));
      CHECK(config.model.transformer.stack.residual_dropout == std::stod(cells[7]));
      CHECK(config.optim.schedule.lr == std::stod(cells[8]));
    }
    if (!is_last) below = std::stoll(cells[2]);
  }
  CHECK(rows == 4);
}

TEST_CASE("short corpora get more epochs, and other periods scale with the epochs") {
  const auto epochs = [](double amount) { return Period{amount, Period::Unit::epochs}; };
  CHECK(decided(10'000).train.max_epochs == epochs(60));
  CHECK(decided(10'000).optim.warmup == epochs(6));
  CHECK(decided(10'000).train.validate_every == epochs(2));
  CHECK(decided(10'000).train.save_every == epochs(2));
  CHECK(decided(1'000'000).train.max_epochs == epochs(11));
  CHECK(decided(1'000'000).train.validate_every == epochs(1));
  CHECK(decided(1).train.max_epochs == epochs(200));
  CHECK(decided(10'000, {"optim.total_updates=auto"}).optim.total_updates == epochs(60));
}

TEST_CASE("given values stay, and the rest follows from them") {
  const Config narrow = decided(10'000, {"model.width=66", "train.max_epochs=20", "train.validate_every=50u"});
  CHECK(narrow.model.transformer.stack.width == 66);
  CHECK(narrow.model.transformer.stack.heads == 3);
  CHECK(narrow.model.transformer.stack.feed_forward == 264);
  CHECK(narrow.optim.warmup == Period{2, Period::Unit::epochs});
  CHECK(narrow.train.save_every == Period{50, Period::Unit::updates});
  const Config by_updates = decided(10'000, {"train.max_epochs=0", "train.max_updates=700"});
  CHECK(by_updates.optim.warmup == Period{70, Period::Unit::updates});
  // With only a time limit, the epochs are those that suit the corpus.
  CHECK(decided(10'000, {"train.max_epochs=0", "train.max_minutes=5"}).optim.warmup == Period{6, Period::Unit::epochs});
  CHECK(decided(3'000, {"train.max_epochs=3"}).train.validate_every == Period{1, Period::Unit::epochs});
  CHECK(dump(decided_for({.pairs = 5, .alphabet = 5}, Config())) == dump(Config()));  // by default nothing is auto
}

TEST_CASE("heads are as near to the usual number as model.key_heads and rotary positions allow") {
  const auto heads = [](std::vector<std::string> sets) {
    sets.push_back("model.heads=auto");
    return decided(10'000, sets).model.transformer.stack.heads;
  };
  CHECK(heads({"model.key_heads=2"}) == 4);
  CHECK(heads({"model.key_heads=8"}) == 8);
  CHECK(heads({"model.width=48", "model.key_heads=3"}) == 3);
  CHECK(heads({"model.width=40", "model.key_heads=5"}) == 5);
  CHECK(heads({"model.width=66", "model.key_heads=2"}) == 2);  // rather than 3
  CHECK(heads({"model.width=18", "model.key_heads=9"}) == 9);
  CHECK(heads({"model.key_heads=3", "model.head_width=16"}) == 3);  // such heads need not divide the width
  CHECK(heads({"model.width=16", "model.key_heads=100", "model.head_width=16"}) == 100);
  CHECK(heads({"model.width=24", "model.positions=rotary"}) == 4);
  CHECK(heads({"model.width=20", "model.positions=rotary"}) == 5);  // of width 4; 4 heads have width 5
  CHECK(heads({"model.width=20", "model.positions=alibi"}) == 4);
  CHECK(heads({"model.width=28", "model.positions=rotary"}) == 2);
  CHECK(heads({"model.width=20", "model.positions=rotary", "model.key_heads=2"}) == 2);
  CHECK(heads({"model.width=20", "model.positions=rotary", "model.head_width=6"}) == 4);
  // Without these options nothing but the width matters.
  for (std::int64_t width = 1; width <= 100; ++width) {
    std::int64_t usual = 4;
    while (width % usual != 0) --usual;
    CHECK(heads({fmt::format("model.width={}", width), "model.positions=learned"}) == usual);
    CHECK(heads({fmt::format("model.width={}", width), "model.head_width=7"}) == usual);
  }
}

TEST_CASE("words are rarer than subwords: their vocabulary is ten times as large") {
  CHECK(decided(3'000, {"data.tokenizer=words"}).data.vocab_size == 20'000);
  CHECK(decided(3'000, {"data.tokenizer=characters"}).data.vocab_size == decided(3'000).data.vocab_size);
}

TEST_CASE("every option that may be auto is decided, and the values fit together") {
  std::vector<std::string> sets{"data.train=x"};
  for (const std::string& key : keys_that_may_be_auto()) sets.push_back(key + "=auto");
  CHECK(sets.size() > 10);
  for (const char* schedule : {"inverse_sqrt", "cosine"})
    for (const std::int64_t pairs : {1, 3'000, 30'000, 10'000'000}) {
      std::vector<std::string> all = sets;
      all.push_back(fmt::format("optim.schedule={}", schedule));
      const Config config = decided_for({.pairs = pairs, .alphabet = 0}, load_config("", all));
      CHECK(config.undecided.empty());
      CHECK(error_of<Error>([&] { validate(config); }) == "");
    }
}

TEST_CASE("before a corpus is read, auto is shown as such, and given values are checked as usual") {
  const Config config = load_config(small_pair);
  CHECK(dump(config).find("  vocab_size: auto  ") != std::string::npos);
  CHECK(dump(parse_config(dump(config), "dump")) == dump(config));
  CHECK(error_of<Error>([&] { validate(load_config(small_pair, {"data.train=x"})); }) == "");
  CHECK(error_of<Error>([&] {
          validate(load_config(small_pair, {"data.train=x", "model.width=99"}));
        }) ==
        "[model.width] expected an even number with model.positions: sinusoidal; got 99. Hint: use 100, or "
        "model.positions: learned");
  CHECK(error_of<Error>([] { load_config("", {"model.bias=auto"}); }) ==
        "[--set model.bias=auto] model.bias: expected true or false; got 'auto'");
  CHECK(load_config(small_pair, {"model.width=64"}).undecided.count("model.width") == 0);
}

TEST_CASE("the size of a corpus is its pairs and its distinct characters, without spaces") {
  ParallelCorpus corpus;
  corpus.source = {"aab b", "é"};
  corpus.target = {"क ख", "b"};
  const CorpusSize size = size_of(corpus);
  CHECK(size.pairs == 2);
  CHECK(size.alphabet == 5);
}

TEST_CASE("decisions are reported, one line per section") {
  ParallelCorpus training;
  training.source = training.target = {"a b", "c"};
  const HeldOut split{.valid = 1, .test = 1};
  Config config =
      load_config("", {"data.split=auto", "data.vocab_size=auto", "optim.warmup=auto", "train.max_updates=90"});
  const Config given = config;
  CHECK(decisions(given, config).empty());
  decide_auto_options(config, size_of(training), split);
  CHECK(decisions(given, config) ==
        std::vector<std::string>{"auto data: split 1/1, vocab_size 2003", "auto optim: warmup 9"});
  CHECK(decisions(config, config).empty());
}
