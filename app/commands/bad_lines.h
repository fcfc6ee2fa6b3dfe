#pragma once

#include <cstdint>
#include <string_view>

#include "data/text/text_file.h"

namespace glossa {

/// What becomes of lines that cannot be used: each is told on standard error, and others go on, or the first one stops
/// the command.
class BadLines {
 public:
  /// By the value of --on-bad-line, `warn` or `stop`.
  explicit BadLines(std::string_view policy) : stops_(policy == "stop") {}

  /// Whether `act` went well. What it throws of a line is told, or goes on where it is to stop; other errors do.
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

/// The exit status of a command that has done with `lines` lines of `name` what it is for, but for `bad` ones: tells
/// how many, if any. `done` says what, for example `translated`.
int status_of_lines(std::string_view name, std::int64_t bad, std::int64_t lines, std::string_view done);

}  // namespace glossa
