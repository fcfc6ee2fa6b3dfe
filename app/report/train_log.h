#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// What happened to a run beside training.
struct RunEvent {
  enum class Kind { stop, resume, refused, failure };
  Kind kind;
  std::int64_t update;  ///< the last one before it; of a refused one, its own
  std::string time;     ///< as the log has it; empty where nobody was there to write it
  std::string text;     ///< in the words of the log
};

/// What train.log says of a run beyond its metrics.
struct TrainLog {
  std::vector<RunEvent> events;

  /// The first lines of the newest start: machine, data, model, notes; without the options.
  std::vector<std::string> head;

  /// The end of the newest start, in the words of the log. Empty if it goes on or was killed.
  std::string end;

  std::int64_t parameters = 0;  ///< of the model; 0 where it does not say

  /// Seconds by the clock until the line of an update, with validation and saving, without the time between a stop and
  /// the next start: what is left to runs whose metrics have no times.
  std::map<std::int64_t, double> training_clock, validation_clock;
};

/// Understands a log; of one that is damaged, what can be read of it.
TrainLog parse_train_log(std::string_view text);

}  // namespace glossa
