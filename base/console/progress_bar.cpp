#include "base/console/progress_bar.h"

#include <fmt/core.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "base/console/print.h"
#include "base/counted.h"
#include "base/printable.h"
#include "base/start_thread.h"

namespace glossa {

using Clock = std::chrono::steady_clock;

std::size_t terminal_width(std::FILE* terminal) {
  winsize size{};
  return ioctl(fileno(terminal), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

namespace {

/// Drops comma-separated parts from the end until the text fits.
std::string_view fitting(std::string_view text, std::size_t room) {
  while (text.size() > room && text.rfind(", ") != text.npos) text = text.substr(0, text.rfind(", "));
  return text;
}

}  // namespace

ProgressBar::ProgressBar(std::FILE* terminal)
    : terminal_(terminal),
      is_terminal_(is_terminal(terminal)),
      draws_(is_terminal_ && verbosity() != Verbosity::quiet && !(terminal == stderr && has_message_sink())) {}

bool ProgressBar::is_due() const { return draws_ && Clock::now() - drawn_ > std::chrono::milliseconds(200); }

void ProgressBar::draw(std::optional<double> fraction, std::string_view text) {
  if (!draws_) return;
  // Leaves one cell free: a full line would wrap and could not be cleared.
  const std::size_t room = terminal_width(terminal_) - 1;
  const std::string shown = printable_line(text);
  std::string line;
  if (fraction) {
    constexpr std::size_t max_cells = 24, min_cells = 4, around = 8;  // widths of the bar and its surroundings
    const double share = std::clamp(*fraction, 0.0, 1.0);
    const std::size_t cells = std::min(max_cells, room - std::min(room, shown.size() + around));
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(cells));
    line = fmt::format("{:3.0f}% ", 100 * share);
    if (cells >= min_cells) line += fmt::format("[{}{}] ", std::string(filled, '='), std::string(cells - filled, ' '));
  }
  line += fitting(shown, room - std::min(room, line.size()));
  show(fmt::format("\r\x1b[K{:.{}}", line, room));
  is_shown_ = true;
  drawn_ = Clock::now();
}

void ProgressBar::clear() {
  if (is_shown_) show("\r\x1b[K");
  is_shown_ = false;
  drawn_ = {};
}

void ProgressBar::show(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), terminal_);
  std::fflush(terminal_);
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e9));
  const std::int64_t hours = whole / 3600, minutes = whole / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                   : fmt::format("{}:{:02}", minutes, whole % 60);
}

std::optional<double> TimeLeft::seconds(double done) const {
  if (done <= done_before_) return std::nullopt;
  return watch_.seconds() * (1 - done) / (done - done_before_);
}

std::string TimeLeft::after(double done) const {
  const std::optional<double> left = seconds(done);
  return left ? fmt::format(", {} left", clock_text(*left)) : "";
}

CountProgress::CountProgress(ProgressBar& bar, std::string noun, std::int64_t all)
    : bar_(bar), noun_(std::move(noun)), all_(all) {
  bar_.clear();
}

void CountProgress::add(std::int64_t count) {
  done_ += count;
  if (!bar_.is_due()) return;
  const double rate = static_cast<double>(done_) / std::max(1e-3, watch_.seconds());
  if (all_ == 0) return bar_.draw(std::nullopt, fmt::format("{}, {:.0f}/s", counted(done_, noun_), rate));
  const double part = static_cast<double>(done_) / static_cast<double>(all_);
  bar_.draw(part, fmt::format("{} of {}, {:.0f}/s{}", done_, counted(all_, noun_), rate, time_left_.after(part)));
}

ElapsedProgress::ElapsedProgress(ProgressBar& bar, std::string text) {
  if (!bar.draws()) return;
  const auto draw = [&bar, text = std::move(text), watch = Stopwatch()] {
    bar.draw(std::nullopt, fmt::format("{} {}", text, clock_text(watch.seconds())));
  };
  draw();
  thread_ = start_thread<std::jthread>([draw](const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    while (!never.wait_for(lock, stop, std::chrono::seconds(1), [&] { return stop.stop_requested(); })) draw();
  });
}

}  // namespace glossa
