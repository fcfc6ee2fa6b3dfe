#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>

#include "report/run_story.h"

namespace glossa {

/// The train.log of a run whose metrics have no events, because an older version began it.
struct TrainLog {
  RunStory story;

  /// Wall-clock seconds from the run's beginning to a log line, keyed by the line's update. One map is for training
  /// lines, the other for validation lines. The seconds include validation and saving, but not the time between a stop
  /// and the next start. Needed if the metrics do not have times.
  std::map<std::int64_t, double> training_clock, validation_clock;
};

/// Parses a log. Skips lines that it cannot read.
TrainLog parse_train_log(std::string_view text);

}  // namespace glossa
