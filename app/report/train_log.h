#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// An event of a run other than training.
struct RunEvent {
  enum class Kind { stop, resume, refused, failure };
  Kind kind;
  std::int64_t update;  ///< the last one before it; for a refused one, its own
  std::string time;     ///< as in the log; empty if nobody could write it
  std::string text;     ///< in the log's words
};

/// Contents of train.log beyond a run's metrics.
struct TrainLog {
  std::vector<RunEvent> events;

  /// The first lines of the newest start: machine, data, model, notes; without the options.
  std::vector<std::string> head;

  /// The end of the newest start, in the log's words. Empty if it is still running or was killed.
  std::string end;

  std::int64_t parameters = 0;  ///< the model's; 0 if not in the log

  /// Wall-clock seconds until the line of an update, including validation and saving, excluding the time between a stop
  /// and the next start: a fallback for runs whose metrics have no times.
  std::map<std::int64_t, double> training_clock, validation_clock;
};

/// Parses a log; if it is damaged, as much of it as can be read.
TrainLog parse_train_log(std::string_view text);

}  // namespace glossa
