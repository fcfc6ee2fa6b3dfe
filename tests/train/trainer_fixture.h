#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/quiet.h"
#include "tests/support/temporary_folder.h"
#include "train/checkpoint/checkpoint.h"
#include "train/trainer.h"

namespace glossa::testing {

/// A model with dropout that trains within milliseconds on a corpus of 60 pairs, with one word that occurs once.
/// Validation uses the same corpus and counts exactly translated sentences, of which there are none at first.
class TrainerFixture {
 public:
  TrainerFixture() {
    std::string source, target;
    for (int i = 0; i < 60; ++i) {
      for (int k = 0; k <= i % 4; ++k) {
        source += fmt::format("w{} ", (7 * i + k) % 13);
        target += fmt::format("v{} ", (5 * i + k) % 11);
      }
      source += i == 7 ? "once end\n" : "end\n";
      target += "ende .\n";
    }
    folder_.write("corpus.en", source);
    folder_.write("corpus.de", target);
    config.data.train = config.data.valid = folder_ / "corpus";
    config.data.tokenizer = DataConfig::Tokenizer::words;
    config.data.batches.max_tokens = 40;
    config.model.transformer.stack.width = config.model.transformer.stack.feed_forward = 8;
    config.model.transformer.stack.heads = 2;
    config.model.transformer.encoder_layers = config.model.transformer.decoder_layers = 1;
    config.model.transformer.stack.residual_dropout = 0.3;
    config.optim.schedule.kind = ScheduleOptions::Kind::constant;
    config.optim.warmup = {};
    config.train.validate_every = {};
    config.train.allow = {TrainConfig::Mistake::valid_is_train};
    config.train.metric = TrainConfig::Metric::exact_match;
    config.runtime.threads = 1;
  }

  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

  /// Trains into the folder `run`.
  TrainingEnd train(const Config& changed, const std::string& run, bool resume = false) const {
    const Quiet quiet;  // warnings of the preparation
    Trainer trainer(prepared(changed, run, resume));
    return trainer.train();
  }

  PreparedRun prepared(const Config& changed, const std::string& run, bool resume = false) const {
    return prepare({.config = changed, .run = folder_ / run, .resume = resume});
  }

  /// The run's last checkpoint.
  std::filesystem::path last(const std::string& run) const {
    return std::filesystem::canonical(folder_ / run / "checkpoints/last");
  }

  /// SHA-256 of the weights of a run's last checkpoint.
  std::string weights(const std::string& run) const { return parameters_sha256(CheckpointReader(last(run))); }

  /// Trains into the folder "whole" until `end` updates, and into "resumed" until half as many and then, with three
  /// threads, until the end. Expects the same weights.
  void check_resumed(std::int64_t end) const {
    Config changed = config;
    changed.train.max_updates = {static_cast<double>(end), Period::Unit::updates};
    train(changed, "whole");
    Config half = changed;
    half.train.max_updates.amount = static_cast<double>(end / 2);
    train(half, "resumed");
    changed.runtime.threads = 3;
    train(changed, "resumed", true);
    CHECK_EQ(weights("whole"), weights("resumed"));
  }

  Config config;

 private:
  TemporaryFolder folder_;
};

/// The objects of a run's metrics.jsonl that are events, or figures.
inline std::vector<nlohmann::json> metrics(const std::filesystem::path& run, bool events = false) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(read_bytes(run / "metrics.jsonl"));
  for (std::string line; std::getline(text, line);)
    if (auto object = nlohmann::json::parse(line); object.contains("event") == events) lines.push_back(object);
  return lines;
}

inline std::filesystem::path checkpoint(const TrainerFixture& fixture, const std::string& run, std::size_t update) {
  return fixture / fmt::format("{}/checkpoints/update-{:08}.ckpt", run, update);
}

constexpr Period updates(double amount) { return {amount, Period::Unit::updates}; }

}  // namespace glossa::testing
