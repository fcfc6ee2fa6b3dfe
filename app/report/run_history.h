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

/// The contents of a run's folder.
struct RunHistory {
  std::string name, folder;
  Config config;
  bool is_training = false;  ///< now
  std::string state;         ///< training, finished, stopped, failed, killed or new (not started)
  RunMetrics metrics;
  TrainLog log;
  std::vector<WatchedSentence> samples;
  std::optional<std::uint64_t> best;  ///< the best checkpoint's update
  std::vector<std::string> problems;  ///< unreadable or unintelligible things, a sentence each

  /// Meaning of the metrics' seconds: `training` alone; `clock` time including validation and saving, from runs of
  /// versions that did not write them; or `none`.
  std::string time;
};

/// Reads the folder of a run with this configuration, even while it trains. `problems` lists damage.
RunHistory read_history(const std::string& folder, const Config& config);

/// The run's time at an update, in seconds; NaN if unknown.
double seconds_at(const RunMetrics& metrics, double update);

/// Names for these runs: the last parts of their paths, as many as distinguish them.
std::vector<std::string> names_of_runs(std::span<const std::string> folders);

}  // namespace glossa
