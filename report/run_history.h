#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "report/run_metrics.h"
#include "report/run_story.h"
#include "report/samples.h"

namespace glossa {

/// The contents of a run's folder.
struct RunHistory {
  std::string name, folder;
  Config config;
  bool is_training = false;  ///< true while `glossa train` runs
  std::string state;         ///< training, finished, stopped, failed, killed or new (not started)
  RunMetrics metrics;
  RunStory story;
  std::vector<WatchedSentence> samples;
  std::optional<std::uint64_t> best;  ///< update of the best checkpoint
  std::vector<std::string> problems;  ///< one sentence for each unreadable file or invalid content

  /// Meaning of the metrics' seconds. `training`: they count training only. `clock`: they are from the log, because the
  /// metrics lack times, and include validation and saving. `none`: unknown.
  std::string time;
};

/// Reads the folder of a run with this configuration, even while the run is training. Lists damage in `problems`.
RunHistory read_history(const std::string& folder, const Config& config);

/// Returns the seconds from the run's beginning to an update, interpolated between records; NaN if unknown.
double seconds_at(const RunMetrics& metrics, double update);

/// Returns names for these runs: the shortest path endings that distinguish them.
std::vector<std::string> names_of_runs(std::span<const std::string> folders);

}  // namespace glossa
