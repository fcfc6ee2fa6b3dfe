#pragma once

#include <cstdint>
#include <string_view>

#include "data/text/text_file.h"

namespace glossa {

/// Handles unusable lines: reports each on standard error and continues, or stops the command at the first one.
class BadLines {
 public:
  /// Takes the value of --on-bad-line: `warn` or `stop`.
  explicit BadLines(std::string_view policy) : stops_(policy == "stop") {}

  /// Calls `act`; returns true if `act` succeeds. If `act` throws a LineError, `warn` reports the error and returns
  /// false, and `stop` rethrows the error. Other exceptions pass through.
  template <class Act>
  bool pass(Act act) const {
    try {
      act();
      return true;
    } catch (const LineError& error) {
      if (stops_) throw;
      report(error);
      return false;
    }
  }

 private:
  static void report(const LineError& error);

  bool stops_;
};

/// Returns the exit status of a command that processed `lines` lines of `name`, `bad` of them unusable. If any line was
/// unusable, also prints their number; `done` names the work, for example `translated`.
int status_of_lines(std::string_view name, std::int64_t bad, std::int64_t lines, std::string_view done);

}  // namespace glossa
