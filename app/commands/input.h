#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "data/text/text_file.h"
#include "data/text_statistics.h"
#include "evaluation/run_scoring.h"

namespace glossa::commands {

/// Handles unusable lines: reports them on standard error and continues, or stops the command at the first one. For
/// each reason, reports only the first 5 lines; `status` reports the number of further lines.
class BadLines {
 public:
  /// Takes the value of --on-bad-line: `warn` or `stop`.
  explicit BadLines(std::string_view policy) : stops_(policy == "stop") {}

  /// Calls `act`; returns true if `act` succeeds. If `act` throws a LineError, handles it and returns false.
  template <class Act>
  bool pass(Act act) {
    return pass_line(handler(), act);
  }

  /// Returns a handler that reports an error (`warn`) or rethrows it (`stop`). Keeps a reference to this object.
  LineErrorHandler handler() {
    return [this](const LineError& error) {
      if (stops_) throw error;
      report(error);
    };
  }

  /// Reads the next line. Sets `line` to std::nullopt if the line is unusable. Returns false at the end of the file.
  bool next(LineReader& reader, std::optional<std::string>& line);

  /// Returns the exit status of a command that processed `lines` lines of the input `name`. If `bad` of them were
  /// unusable, prints their number and returns 1. `done` names the work, for example `translated`.
  int status(std::string_view name, std::int64_t bad, std::int64_t lines, std::string_view done) const;

 private:
  void report(const LineError& error);

  bool stops_;
  std::map<std::string, std::int64_t> count_;  // number of unusable lines per reason
};

/// Opens the file given as --input, or standard input if `input` is empty.
LineReader open_input(const std::string& input, const TextOptions& options);

/// True if lines are to be split into sentences. `choice` is the value of --split-sentences. With `auto`, splits if the
/// run was trained on one sentence per line.
bool splits_sentences(std::string_view choice, const TextStatistics& trained_on);

/// Reads both files. `in_source` handles the unusable lines of the source, `in_target` those of the target. Throws if
/// one file has more lines than the other.
LinePairs read_line_pairs(const std::string& source, const std::string& target, const TextOptions& options,
                          BadLines& in_source, BadLines& in_target);

}  // namespace glossa::commands
