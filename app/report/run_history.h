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
  bool is_training = false;  ///< true while `glossa train` runs
  std::string state;         ///< training, finished, stopped, failed, killed or new (not started)
  RunMetrics metrics;
  TrainLog log;
  std::vector<WatchedSentence> samples;
  std::optional<std::uint64_t> best;  ///< the best checkpoint's update
  std::vector<std::string> problems;  ///< a sentence for each unreadable file or invalid content

  /// Kind of the metrics' seconds: `training` (training alone), `clock` (including validation and saving, from versions
  /// that did not write training times) or `none` (unknown).
  std::string time;
};

/// Reads the folder of a run with this configuration, even while it trains. Lists damage in `problems`.
RunHistory read_history(const std::string& folder, const Config& config);

/// Seconds of the run at an update, interpolated between metrics; NaN if unknown.
double seconds_at(const RunMetrics& metrics, double update);

/// Returns names for these runs: the shortest ends of their paths that distinguish them.
std::vector<std::string> names_of_runs(std::span<const std::string> folders);

}  // namespace glossa
