#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/report/run_metrics.h"
#include "app/report/samples.h"
#include "app/report/train_log.h"
#include "train/config/config.h"

namespace glossa {

/// What the folder of a run tells.
struct RunStory {
  std::string name, folder;
  Config config;
  bool is_training = false;  ///< now
  std::string state;         ///< training, finished, stopped, failed, killed or new: nothing has begun
  RunMetrics metrics;
  TrainLog log;
  std::vector<WatchedSentence> samples;
  std::optional<std::uint64_t> best;  ///< the update of the checkpoint that is called so
  std::vector<std::string> problems;  ///< what could not be read or understood, a sentence each

  /// What the seconds of the metrics are: of `training` alone; by the `clock`, with validation and saving, from runs
  /// of versions that did not write them; or `none`.
  std::string time;
};

/// Reads the folder of a run with this configuration, also while it trains. Damage is told in `problems`.
RunStory read_story(const std::string& folder, const Config& config);

/// Where the run was at an update, in seconds; NaN where nobody knows.
double seconds_at(const RunMetrics& metrics, double update);

/// What to call these runs: the last parts of their paths, as many as tell them apart.
std::vector<std::string> names_of_runs(std::span<const std::string> folders);

}  // namespace glossa
