#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "autograd/stopwatch.h"

namespace glossa {

/// Columns of a terminal; 80 where it does not say.
std::size_t terminal_width(std::FILE* terminal);

/// The last line of a terminal, drawn again and again while something takes long. In a file or a pipe, and with -q,
/// nothing is drawn. Clear it before writing to the terminal. If the terminal has gone away, drawings are lost and work
/// goes on.
class ProgressBar {
 public:
  explicit ProgressBar(std::FILE* terminal = stderr);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool is_on_terminal() const { return is_terminal_; }
  bool draws() const { return draws_; }

  /// True a few times a second where it draws, never elsewhere: ask before composing what is drawn.
  bool is_due() const;

  /// The text, behind a bar where it is known which `fraction` of 1 is done. Where a terminal is narrow the last parts
  /// of it are left out, which commas part.
  void draw(std::optional<double> fraction, std::string_view text);

  /// Afterwards it is due at once.
  void clear();

 private:
  void show(std::string_view text);

  std::FILE* terminal_;
  bool is_terminal_, draws_, is_shown_ = false;
  std::chrono::steady_clock::time_point drawn_;
};

/// Seconds as a clock shows them: 0:07, 1:02:03.
std::string clock_text(double seconds);

/// How long the rest takes, from how fast it went since this was made.
class TimeLeft {
 public:
  /// `done` of 1 was done before.
  explicit TimeLeft(double done = 0) : done_before_(done) {}

  std::optional<double> seconds(double done) const;

  /// ", 1:02:03 left"; nothing where nothing can be said yet.
  std::string after(double done) const;

 private:
  double done_before_;
  Stopwatch watch_;
};

/// Counts, on a bar, what is done of many things.
class CountProgress {
 public:
  /// `all` of them; 0 where nobody knows.
  CountProgress(ProgressBar& bar, std::string noun, std::int64_t all = 0);

  void add(std::int64_t count);

 private:
  ProgressBar& bar_;
  std::string noun_;
  std::int64_t all_, done_ = 0;
  TimeLeft time_left_;
  Stopwatch watch_;
};

/// While it lives, shows a text with the time since on a bar, from a thread of its own: for what cannot say how far it
/// is.
class ElapsedProgress {
 public:
  ElapsedProgress(ProgressBar& bar, std::string text);

 private:
  std::jthread thread_;
};

}  // namespace glossa
