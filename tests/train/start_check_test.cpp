#include "train/start_check.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/check.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using Lines = std::vector<std::string>;
using Mistake = TrainConfig::Mistake;

namespace {

/// A new run without a mistake, of German to English.
struct Start {
  Start() {
    config.data.source = base.data.source = "de";
    config.data.target = base.data.target = "en";
    config.data.train = "train";
    config.data.valid = "valid";
    config.train.warm_start = "runs/base";
    corpora.training.name = "train";
    for (int i = 0; i < 100; ++i) {
      corpora.training.source.push_back(fmt::format("Das ist die {}.", i));
      corpora.training.target.push_back(fmt::format("This is the {}.", i));
    }
    corpora.training.report.lines = corpora.training.report.pairs = 100;
    corpora.validation.source = {"eins"};
    corpora.validation.target = {"one"};
  }

  std::string error() const {
    return glossa::testing::error_of<Error>([&] { check_start({config, corpora, warm ? &base : nullptr, test}); });
  }

  /// Checks that the run is refused with a text, and only unless the mistake is allowed.
  void check_refused(Mistake mistake, const std::string& text) {
    const std::string name = mistake_names.begin()[static_cast<std::size_t>(mistake)];
    CAPTURE(name);
    const std::string found = error();
    CAPTURE(found);
    CHECK(found.starts_with(text));
    CHECK(found.ends_with(fmt::format("; --allow {} trains anyway", name)));
    config.train.allow = {mistake};
    CHECK(error() == "");
    config.train.allow.clear();
    for (std::size_t other = 0; other < mistake_names.size(); ++other)
      if (other != static_cast<std::size_t>(mistake)) config.train.allow.push_back(static_cast<Mistake>(other));
    CHECK(error() == found);
  }

  Config config, base;
  Corpora corpora;
  bool warm = true;
  const ParallelCorpus* test = nullptr;
};

}  // namespace

TEST_CASE("a run without a mistake starts") {
  Start start;
  CHECK(start.error() == "");
  start.warm = false;
  CHECK(start.error() == "");
}

TEST_CASE("one language on both sides is refused; a regional variant is another") {
  Start start;
  start.config.data.source = "EN_us";
  start.config.data.target = "en-US";
  start.check_refused(Mistake::same_languages,
                      "[data.target] expected another language than data.source; got en-US for both");
  Start variants;
  variants.config.data.source = "en-GB";
  variants.config.data.target = "en-US";
  CHECK(variants.error() == "");
}

TEST_CASE("weights of the opposite direction are refused, whatever form the names have") {
  for (const auto& [source, target] : {std::pair{"en", "de"}, {"en-US", "de_AT"}, {"EN", "DE"}, {"eng", "deu"}}) {
    Start start;
    std::swap(start.corpora.training.source, start.corpora.training.target);
    start.config.data.source = source;
    start.config.data.target = target;
    start.check_refused(Mistake::wrong_direction,
                        fmt::format("[train.warm_start] expected a model that translates {} to {}; got runs/base, "
                                    "which translates de to en",
                                    source, target));
    start.config.train.allow.clear();
    start.warm = false;
    CHECK(start.error() == "");
  }
  Start start;
  for (const auto& [source, target] : {std::pair{"de-DE", "EN"}, {"fr", "en"}, {"en", "fr"}, {"x", "y"}}) {
    start.config.data.source = source;
    start.config.data.target = target;
    CHECK(start.error() == "");
  }
  start.config.data.source = start.base.data.source = "en";  // variants of one language match in both directions
  start.config.data.target = start.base.data.target = "en-simple";
  CHECK(start.error() == "");
  start.base.data.source = "source";  // as imported without languages
  start.base.data.target = "target";
  CHECK(start.error() == "");
}

TEST_CASE("text with exchanged sides is refused; for a table, the hint names its columns") {
  Start start;
  std::swap(start.corpora.training.source, start.corpora.training.target);
  start.config.data.train = start.corpora.training.name = "pairs.tsv";
  start.config.data.reading.target_column = 2;
  CHECK(start.error().find("data.source_column=2, data.target_column=0") != std::string::npos);
  start.check_refused(
      Mistake::swapped_sides,
      "[pairs.tsv] expected de as the source and en as the target; got en as the source and de as the target");
}

TEST_CASE("a corpus with exchanged sides is refused in any language") {
  Start other;  // languages outside the table
  other.config.data.source = other.base.data.source = "tlh";
  other.config.data.target = other.base.data.target = "qya";
  const ParallelCorpus text = other.corpora.training;
  ParallelCorpus swapped = text;
  std::swap(swapped.source, swapped.target);
  swapped.name = "swapped";
  for (std::string& source : swapped.source) source += " Sentence.";  // not training pairs
  const char* refusal =
      "[swapped] expected tlh as the source and qya as the target, as in train; got the sides exchanged. Hint: "
      "exchange the sides of this corpus or those of train; ";
  for (int place = 0; place < 4; ++place) {
    CAPTURE(place);
    Start start = other;
    if (place == 0) start.corpora.validation = swapped;
    if (place == 1) start.corpora.watched = {text, swapped};
    if (place == 2) start.test = &swapped;
    if (place == 3) start.corpora.training = joined({text, text, swapped});
    start.check_refused(Mistake::swapped_sides, refusal);
  }
  other.corpora.watched = {text};
  other.test = &text;
  other.corpora.training = joined({text, text});
  CHECK(other.error() == "");
}

TEST_CASE("equal text on both sides is refused") {
  Start start;
  ParallelCorpus& text = start.corpora.training;
  text.target = text.source;
  text.target[7] = "7";
  start.check_refused(Mistake::same_text, "[train] expected translations; got the same text on both sides of 99 %");
  text.target[8] = "8";
  start.config.train.allow.clear();
  CHECK(start.error() == "");
}

TEST_CASE("validation on the training text, or on a part of it, is refused") {
  const char* expected = "[data.valid] expected text that training does not use; got valid, all of whose pairs are in";
  Start copied;
  copied.corpora.validation = copied.corpora.training;
  copied.check_refused(Mistake::valid_is_train, expected);
  Start part;  // another order, with a pair that training has dropped as a duplicate
  const ParallelCorpus& training = part.corpora.training;
  part.corpora.validation.source = {training.source[7], training.source[3], training.source[7]};
  part.corpora.validation.target = {training.target[7], training.target[3], training.target[7]};
  part.check_refused(Mistake::valid_is_train, expected);
  part.config.train.allow.clear();
  part.corpora.validation.target[0] = "another translation";
  CHECK(part.error() == "");

  Start start;
  start.config.data.valid = Lines{"valid", "train"};  // the second is only watched
  CHECK(start.error() == "");
  start.config.data.train = start.config.data.valid = "toy:100";  // has a split for each use
  CHECK(start.error() == "");
  start.config.data.valid.clear();
  start.corpora.validation = {};
  CHECK(start.error() == "");
}

TEST_CASE("nine pairs are too few, ten are not") {
  Start start;
  ParallelCorpus& text = start.corpora.training;
  text.source.resize(10);
  text.target.resize(10);
  CHECK(start.error() == "");
  text.source.resize(9);
  text.target.resize(9);
  text.report.pairs = 9;
  start.check_refused(Mistake::few_pairs, "[train] expected at least 10 training pairs; got 9 pairs from 100 lines");
}
