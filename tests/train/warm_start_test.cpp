// A warm start: the weights before training are validated, and may remain the best.
#include <doctest/doctest.h>

#include "tests/train/trainer_fixture.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/run.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

TEST_CASE("a warm start validates its weights before the first update, and a worse training leaves them the best") {
  TrainerFixture fixture;
  TrainConfig& train = fixture.config.train;
  train.metric = TrainConfig::Metric::loss;
  train.validate_every = train.save_every = updates(4);
  train.max_updates = updates(60);
  fixture.config.optim.schedule.lr = 0.01;
  fixture.train(fixture.config, "base");
  const auto validated = [&](const std::string& run) {
    std::vector<std::int64_t> found;
    for (const nlohmann::json& line : metrics(fixture / run))
      if (line.contains("valid_loss")) found.push_back(line["update"]);
    return found;
  };
  CHECK_EQ(validated("base").front(), 4);
  const auto loss = [&](const std::string& run, std::size_t line) {
    return metrics(fixture / run)[line]["valid_loss"].get<double>();
  };

  train.warm_start = fixture / "base";
  train.max_updates = updates(12);
  fixture.train(fixture.config, "better");
  CHECK_EQ(validated("better"), std::vector<std::int64_t>{0, 4, 8, 12});
  CHECK_EQ(loss("better", 0), loss("base", metrics(fixture / "base").size() - 1));
  CHECK_NE(linked_update(fixture / "better", "best"), 0U);
  const std::string log = read_bytes(fixture / "better/train.log");
  CHECK_NE(log.find("Ep. 0 : Up. 0 : valid loss "), log.npos);
  CHECK_NE(log.find(" : before training : new best"), log.npos);
  CHECK_EQ(log.find("no validation was better"), log.npos);

  // Steps so large that they destroy the weights: patience counts from the weights before training.
  fixture.config.optim.schedule.lr = 10;
  train.patience = 2;
  train.keep_checkpoints = 2;
  CHECK_EQ(fixture.train(fixture.config, "worse"), TrainingEnd::early_stopping);
  CHECK_EQ(validated("worse"), std::vector<std::int64_t>{0, 4, 8});
  CHECK_EQ(linked_update(fixture / "worse", "best"), 0U);
  CHECK_EQ(parameters_sha256(CheckpointReader(fixture / "worse/checkpoints/best")),
           parameters_sha256(CheckpointReader(fixture / "base/checkpoints/best")));
  CHECK_NE(read_bytes(fixture / "worse/train.log").find("note: no validation was better than the weights before"),
           std::string::npos);

  // As after a signal: no validation since the first.
  const std::string text = read_bytes(fixture / "worse/metrics.jsonl");
  write_bytes(fixture / "worse/metrics.jsonl", text.substr(0, text.find('\n') + 1));
  CHECK(RunName(fixture / "worse").note().starts_with("best is update 0; update 8 is newer than the last validation"));

  train.validate_every = {};
  train.patience = 0;
  fixture.train(fixture.config, "never");
  CHECK(validated("never").empty());
}

TEST_CASE("a warm start that is killed after its first validation resumes like an uninterrupted run") {
  TrainerFixture fixture;
  TrainConfig& train = fixture.config.train;
  train.metric = TrainConfig::Metric::loss;
  train.validate_every = train.save_every = updates(3);
  train.max_updates = updates(7);
  train.keep_checkpoints = 100;
  fixture.train(fixture.config, "base");
  train.warm_start = fixture / "base";
  fixture.train(fixture.config, "whole");
  const auto records = [&](const std::string& run) {
    auto lines = metrics(fixture / run);
    for (nlohmann::json& line : lines)
      for (const char* key : {"seconds", "tokens_per_s", "waited"}) line.erase(key);
    return lines;
  };
  // A copy of the run with the checkpoints until `update`, as a kill leaves it.
  const auto kill_after = [&](const std::string& run, std::int64_t update) {
    fs::copy(fixture / "whole", fixture / run, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    for (std::int64_t later = update + 1; later <= 7; ++later)
      fs::remove(checkpoint(fixture, run, static_cast<std::size_t>(later)));
  };
  for (const std::int64_t update : {0, 3}) {
    const std::string run = fmt::format("killed-{}", update);
    kill_after(run, update);
    fixture.train(fixture.config, run, true);
    CHECK(records(run) == records("whole"));
    CHECK_EQ(state_sha256(CheckpointReader(fixture.last(run))), state_sha256(CheckpointReader(fixture.last("whole"))));
  }
  kill_after("afresh", -1);
  fixture.train(fixture.config, "afresh");
  CHECK(records("afresh") == records("whole"));
}
