#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/stopwatch.h"

namespace glossa {

/// Returns the number of columns of a terminal; 80 if unknown.
std::size_t terminal_width(std::FILE* terminal);

/// Bottom line of a terminal, redrawn during slow work. Draws nothing if `terminal` is a file or a pipe, or with -q.
/// Clear the bar before writing anything else to the terminal. If the terminal has gone away, output is lost and work
/// continues.
class ProgressBar {
 public:
  explicit ProgressBar(std::FILE* terminal = stderr);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool is_on_terminal() const { return is_terminal_; }
  bool draws() const { return draws_; }

  /// True a few times a second if the bar draws, otherwise never. Check this before composing the text.
  bool is_due() const;

  /// Draws the text. If the completed `fraction` (0 to 1) is known, draws a bar before the text. On a narrow terminal,
  /// omits the last comma-separated parts of the text.
  void draw(std::optional<double> fraction, std::string_view text);

  /// Removes the bar from the terminal. The next call of `is_due` then returns true without delay, if the bar draws.
  void clear();

 private:
  void show(std::string_view text);

  std::FILE* terminal_;
  bool is_terminal_, draws_, is_shown_ = false;
  std::chrono::steady_clock::time_point drawn_;
};

/// Formats seconds like a clock: 0:07, 1:02:03.
std::string clock_text(double seconds);

/// Estimates the remaining time of a task from the speed since construction.
class TimeLeft {
 public:
  /// `done` is the fraction of the work that is already completed.
  explicit TimeLeft(double done = 0) : done_before_(done) {}

  std::optional<double> seconds(double done) const;

  /// Returns text such as ", 1:02:03 left"; empty if the time is not yet known.
  std::string after(double done) const;

 private:
  double done_before_;
  Stopwatch watch_;
};

/// Shows the number of completed items on a bar.
class CountProgress {
 public:
  /// `all` is the total number of items; 0 if unknown.
  CountProgress(ProgressBar& bar, std::string noun, std::int64_t all = 0);

  void add(std::int64_t count);

 private:
  ProgressBar& bar_;
  std::string noun_;
  std::int64_t all_, done_ = 0;
  TimeLeft time_left_;
  Stopwatch watch_;
};

/// Shows a text and the elapsed time on a bar while this object exists, for work that cannot report progress. A
/// separate thread draws it.
class ElapsedProgress {
 public:
  ElapsedProgress(ProgressBar& bar, std::string text);

 private:
  std::jthread thread_;
};

}  // namespace glossa
