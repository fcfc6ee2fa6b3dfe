#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// An event of a run: a stop, a resume, a refused (skipped) update, or a failure.
struct RunEvent {
  enum class Kind { stop, resume, refused, failure };
  Kind kind;
  std::int64_t update;  ///< last update before the event; for `refused`, the skipped update
  std::string time;     ///< time as in the log; empty if the program was killed
  std::string text;     ///< description, as in the log
};

/// The story of a run: its events and its state, without its figures.
struct RunStory {
  std::vector<RunEvent> events;

  /// The first lines that the newest start logged (machine, data, model, notes). They include the values of options
  /// that were `auto`. If the newest start logged no such values, those of an earlier start come first.
  std::vector<std::string> head;

  /// The end of the newest start, as described in the log. Empty if that start is still running or was killed.
  std::string end;

  /// State of the newest start: finished, stopped, failed, killed (or still running), or new (not started).
  std::string state = "new";

  std::int64_t parameters = 0;  ///< number of model parameters; 0 if unknown
};

/// Returns text to append to a resumption, if the log line reports a changed option. An example is "; train.precision
/// is now float; it was bf16". Returns empty text for other lines.
std::string changed_option(std::string_view logged);

/// True for a line of metrics.jsonl that is an event.
bool is_event(std::string_view line);

/// Reads the story of a run from the event lines of its metrics.
class StoryReader {
 public:
  /// Takes the next event. Returns the line's fault, or empty text if it is valid.
  std::string take(std::string_view line);

  /// Returns the story; empty if the lines lack the run's beginning, because an older version began it.
  const std::optional<RunStory>& story() const { return story_; }

 private:
  std::optional<RunStory> story_;
  std::vector<std::string> decided_;  // values of `auto` options, from the newest start that logged any
};

}  // namespace glossa
