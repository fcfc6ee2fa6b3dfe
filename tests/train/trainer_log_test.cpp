// The text of a trainer's log: its head, its warnings and its validation lines.
#include <doctest/doctest.h>

#include "tests/train/trainer_fixture.h"

using namespace glossa;
using namespace glossa::testing;

TEST_CASE("a log begins with the values of options set to auto, also when resumed, and only names the configuration") {
  TrainerFixture fixture;
  fixture.config.undecided = {"optim.warmup", "model.heads"};
  fixture.config.train.max_updates = updates(20);
  fixture.train(fixture.config, "run");
  const std::string log = read_bytes(fixture / "run/train.log");
  const std::string file = (fixture / "run/config.yaml").string();
  const std::string decided = "\nauto model: heads 4\nauto optim: warmup 2\n";
  CHECK(log.substr(22).starts_with("new run: every option is in " + file + decided));
  CHECK_EQ(log.find("  heads: 4"), log.npos);
  CHECK_NE(read_bytes(file).find("  heads: 4"), std::string::npos);
  fixture.config.train.max_updates = updates(24);
  fixture.train(fixture.config, "run", true);
  const std::string later = read_bytes(fixture / "run/train.log").substr(log.size());
  CHECK(later.substr(22).starts_with("resumed run: every option is in " + file + decided));
}

TEST_CASE("a validation line names train.metric, which may stall while the loss falls") {
  TrainerFixture fixture;
  fixture.config.train.validate_every = updates(2);
  fixture.config.train.max_updates = updates(4);
  fixture.train(fixture.config, "run");  // no sentence is right this early
  const std::string log = read_bytes(fixture / "run/train.log");
  CHECK_NE(log.find(" : new best exact_match\n"), log.npos);
  CHECK_NE(log.find(" : exact_match stalled 1 time\n"), log.npos);
  // The end names what still improves.
  CHECK_NE(log.find("] note: the last validation was the best so far in loss"), log.npos);
  CHECK_NE(log.find(" --set train.max_updates=6u\n"), log.npos);
}

TEST_CASE("a time limit within the warm-up is reported once, at the first log line") {
  TrainerFixture fixture;
  fixture.config.train.max_epochs = {};
  fixture.config.train.max_updates = updates(1e9);
  fixture.config.train.max_minutes = 0.001;
  fixture.config.train.log_every = updates(2);
  fixture.config.optim.warmup = updates(1e8);
  fixture.train(fixture.config, "run");
  const std::string log = read_bytes(fixture / "run/train.log"), warning = "warning: at this speed, train.max_minutes";
  const std::size_t at = log.find(warning);
  CHECK_NE(at, log.npos);
  CHECK_EQ(log.find(warning, at + 1), log.npos);
  CHECK_LT(log.find(" : Up. 2 : loss "), at);
  CHECK_LT(at, log.find(" : Up. 4 : loss "));
}

TEST_CASE("a run whose translations are all equal ends with a warning") {
  TrainerFixture fixture;
  fixture.config.train.validate_every = updates(2);
  fixture.config.train.max_updates = updates(2);
  fixture.config.decode.max_length_factor = 0;
  fixture.config.decode.max_length_extra = 1;  // one token
  fixture.train(fixture.config, "run");
  const std::string log = read_bytes(fixture / "run/train.log");
  CHECK_NE(log.find("] warning: at the last validation, "), log.npos);
  CHECK_NE(log.find(" different lines have "), log.npos);
}

TEST_CASE("an end inside the warm-up and a source in one letter case are reported, with the first pair") {
  TrainerFixture fixture;
  fixture.config.train.max_epochs = {1, Period::Unit::epochs};
  fixture.config.optim.warmup = updates(1000);
  fixture.train(fixture.config, "run");
  const std::string log = read_bytes(fixture / "run/train.log");
  CHECK(log.find("first pair: source 'w0 end'\n    target 'v0 ende .'") != log.npos);
  CHECK(log.find("per epoch, packed; padded batches would contain ") != log.npos);
  CHECK(log.find("warning: train.max_epochs ends training after ") != log.npos);
  CHECK(log.find("-case source letters:") != log.npos);
}
