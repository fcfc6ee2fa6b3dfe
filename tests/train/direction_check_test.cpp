// Fine-tuning on text with swapped sides.
#include <doctest/doctest.h>

#include "tests/support/temporary_folder.h"
#include "tests/train/trainer_fixture.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// Trains a base on the fixture's corpus, and returns the error of fine-tuning it on that corpus, or on the corpus with
/// its sides exchanged.
struct FineTuning {
  explicit FineTuning(bool shared_vocabulary) {
    fixture.config.data.shared_vocabulary = shared_vocabulary;
    fixture.config.model.transformer.tied = shared_vocabulary ? Tied::all : Tied::none;
    fixture.config.data.source = "tlh";  // languages that glossa does not know
    fixture.config.data.target = "qya";
    fixture.config.optim.schedule.lr = 0.01;
    fixture.config.train.max_updates = updates(60);
    for (const auto& [from, to] : {std::pair{"en", "tlh"}, {"de", "qya"}}) {
      const std::string text = read_bytes(fixture / fmt::format("corpus.{}", from));
      write_bytes(fixture / fmt::format("corpus.{}", to), text);
      write_bytes(fixture / fmt::format("exchanged.{}", to == std::string("tlh") ? "qya" : "tlh"), text);
    }
    fixture.train(fixture.config, "base");
    fixture.config.train.warm_start = fixture / "base";
    fixture.config.train.max_updates = updates(1);
  }

  std::string error(const std::string& corpus, const std::string& run) {
    fixture.config.data.train = fixture.config.data.valid = fixture / corpus;
    return error_of<Error>([&] { fixture.train(fixture.config, run); });
  }

  TrainerFixture fixture;
};

}  // namespace

TEST_CASE("a fine-tuned model knows its sides, by unknown words or by the loss") {
  for (const bool shared_vocabulary : {false, true}) {
    CAPTURE(shared_vocabulary);
    FineTuning tuning(shared_vocabulary);
    CHECK(tuning.error("corpus", "same") == "");
    const std::string error = tuning.error("exchanged", "exchanged");
    CAPTURE(error);
    CHECK(error.find("expected tlh as the source and qya as the target; got the sides exchanged") != error.npos);
    CHECK(error.find(shared_vocabulary ? "with 0 % unknown tokens, but " : "with 100 % unknown tokens, but ") !=
          error.npos);
    CHECK(error.ends_with("Hint: exchange the sides; --allow swapped-sides trains anyway"));
    CHECK_FALSE(std::filesystem::exists(tuning.fixture / "exchanged"));
    tuning.fixture.config.train.allow.push_back(TrainConfig::Mistake::swapped_sides);
    CHECK(tuning.error("exchanged", "allowed") == "");
  }
}

TEST_CASE("a model of other languages does not judge the sides") {
  FineTuning tuning(true);
  tuning.fixture.config.data.source = "qya";
  tuning.fixture.config.data.target = "sjn";
  write_bytes(tuning.fixture / "other.qya", read_bytes(tuning.fixture / "corpus.qya"));
  write_bytes(tuning.fixture / "other.sjn", read_bytes(tuning.fixture / "corpus.tlh"));
  CHECK(tuning.error("other", "other") == "");
}
