#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// An event in a run's log: a stop, a resume, a refused (skipped) update, or a failure.
struct RunEvent {
  enum class Kind { stop, resume, refused, failure };
  Kind kind;
  std::int64_t update;  ///< the last update before the event; for `refused`, the skipped update
  std::string time;     ///< as in the log; empty if the program was killed
  std::string text;     ///< in the log's words
};

/// Contents of train.log that metrics.jsonl does not have.
struct TrainLog {
  std::vector<RunEvent> events;

  /// The first lines that the newest start logged (machine, data, model, notes). They list only those options that were
  /// `auto`. If the newest start did not list any, the list of an earlier start comes first.
  std::vector<std::string> head;

  /// How the newest start ended, in the log's words. Empty if that start is still running or was killed.
  std::string end;

  std::int64_t parameters = 0;  ///< number of the model's parameters; 0 if not in the log

  /// Wall-clock seconds from the run's beginning to a log line, keyed by the line's update. One map is for training
  /// lines, one for validation lines. The seconds include validation and saving, but not the time between a stop and
  /// the next start. Used if the metrics do not have times.
  std::map<std::int64_t, double> training_clock, validation_clock;
};

/// Parses a log. Skips lines that it cannot read.
TrainLog parse_train_log(std::string_view text);

}  // namespace glossa
