#include "report/train_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <initializer_list>
#include <optional>
#include <sstream>

#include "config/config.h"

namespace glossa {

namespace {

constexpr std::size_t stamp_size = 22;  // "[2026-01-31 23:59:59] "

/// Returns the time at the start of a line, in seconds; empty if absent.
std::optional<double> clock_of(std::string_view line) {
  if (line.size() < stamp_size || line[0] != '[' || line[stamp_size - 2] != ']') return std::nullopt;
  const std::string stamp(line.substr(1, stamp_size - 3));
  std::tm time{};
  const char* end = strptime(stamp.c_str(), "%Y-%m-%d %H:%M:%S", &time);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return static_cast<double>(timegm(&time));  // any time zone will do, because only differences are used
}

/// Returns the whole number after `before`.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == text.npos) return std::nullopt;
  const std::string_view digits = text.substr(at + before.size());
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return code == std::errc{} ? std::optional(number) : std::nullopt;
}

/// True if a text begins with these parts, where "#" means a whole number.
bool begins(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (part == "#" ? digits == 0 : !text.starts_with(part)) return false;
    text.remove_prefix(part == "#" ? digits : part.size());
  }
  return true;
}

/// True for "2 threads of 2 available, ...", which is logged at every start.
bool says_threads(std::string_view text) {
  return begins(text, {"#", " threads of ", "#", " available,"}) ||
         begins(text, {"#", " thread of ", "#", " available,"});
}

/// True for "4 processes: 2 on first, 2 on second". A start with several processes logs it before the line about
/// threads.
bool says_processes(std::string_view text) { return begins(text, {"#", " processes: ", "#", " on "}); }

/// Returns the lines of an entry that list the values of `auto` options: "auto model: width 128, ...".
std::string decisions_in(const std::string& entry) {
  std::string found;
  std::istringstream lines(entry);
  for (std::string line; std::getline(lines, line);)
    if (std::ranges::any_of(option_sections(),
                            [&](const auto& s) { return line.starts_with("auto " + s.name + ": "); }))
      found += (found.empty() ? "" : "\n") + line;
  return found;
}

/// Returns the update at which a run stopped, 300 for the line "...; 300 updates, ...".
std::optional<std::int64_t> update_of_stop(std::string_view text) {
  for (std::size_t at = text.find("; "); at != text.npos; at = text.find("; ", at + 1))
    if (begins(text.substr(at), {"; ", "#", " update"})) return number_after(text.substr(at), "; ");
  return std::nullopt;
}

/// Reads the log entry by entry.
class LogReader {
 public:
  /// Takes an entry. `time` is the time as written, `clock` the time in seconds.
  void take(std::string_view time, double clock, const std::string& text) {
    if (text.starts_with("configuration\n")) return begin_run(clock);  // versions before 0.2 list every option here
    if (text.starts_with("new run: "))
      begin_run(clock);
    else if (text.starts_with("resumed run: ") || begins_start(text))
      begin_start(clock);
    if (text.starts_with("Ep. ")) return take_numbers(clock, text);
    if (text.starts_with("finished: ")) return take_end(time, text, RunEvent::Kind::stop, "finished: ");
    if (text.starts_with("error: ")) return take_end(time, text, RunEvent::Kind::failure, "error: ");
    if (text.starts_with("update ") && text.find(" skipped: ") != text.npos)
      if (const auto update = number_after(text, "update ")) return take_refused(time, *update, text);
    if (!in_head_) return;
    story_.head.push_back(text);
    if (std::string decisions = decisions_in(text); !decisions.empty()) {
      decisions_ = std::move(decisions);
      head_decides_ = true;
    }
    if (text.starts_with("model: ")) story_.parameters = number_after(text, "model: ").value_or(0);
    changes_ += changed_option(text);
    if (const auto update = number_after(text, "note: resumed at update ")) take_resume(time, *update, text);
  }

  TrainLog finish() && {
    if (!story_.head.empty() && !head_decides_ && !decisions_.empty())
      story_.head.insert(story_.head.begin(), decisions_);
    return std::move(log_);
  }

 private:
  /// Begins a new run and forgets any earlier run in the folder.
  void begin_run(double clock) {
    log_ = {};
    update_ = 0;
    decisions_.clear();
    begin_start(clock);
  }

  /// True for the first line of a start in a log of a version before 0.2. A new run logs its options before that line.
  bool begins_start(std::string_view text) const {
    const bool said_threads = std::any_of(story_.head.begin(), story_.head.end(), says_threads);
    return (says_processes(text) || says_threads(text)) && (!in_head_ || said_threads);
  }

  void begin_start(double clock) {
    killed_ = story_.state == "killed";
    story_.state = "killed";  // the state of a run without a line for its end
    story_.end.clear();
    story_.head.clear();
    changes_.clear();
    in_head_ = true;
    head_decides_ = false;
    started_ = clock;
    before_ = 0;
  }

  void take_resume(std::string_view time, std::int64_t update, const std::string& text) {
    if (killed_)
      story_.events.push_back({RunEvent::Kind::stop, std::max(update_, update), "", "ended without a message"});
    // A resumed run repeats all updates after the checkpoint.
    std::erase_if(story_.events,
                  [&](const RunEvent& e) { return e.kind == RunEvent::Kind::refused && e.update > update; });
    for (auto* clock : {&log_.training_clock, &log_.validation_clock}) {
      clock->erase(clock->upper_bound(update), clock->end());
      if (!clock->empty()) before_ = std::max(before_, clock->rbegin()->second);
    }
    update_ = update;
    story_.events.push_back(
        {RunEvent::Kind::resume, update, std::string(time), text.substr(text.find(' ') + 1) + changes_});
  }

  void take_numbers(double clock, const std::string& text) {
    in_head_ = false;
    const auto update = number_after(text, " : Up. ");
    if (!update) return;
    update_ = *update;
    const bool validates = text.find(" : valid loss ") != text.npos;
    (validates ? log_.validation_clock : log_.training_clock)[*update] = before_ + std::max(0.0, clock - started_);
  }

  void take_refused(std::string_view time, std::int64_t update, const std::string& text) {
    in_head_ = false;
    update_ = update;
    story_.events.push_back({RunEvent::Kind::refused, update, std::string(time), text});
  }

  void take_end(std::string_view time, const std::string& text, RunEvent::Kind kind, std::string_view label) {
    in_head_ = false;
    if (kind == RunEvent::Kind::stop) update_ = update_of_stop(text).value_or(update_);
    story_.end = text.substr(label.size());
    story_.state = kind == RunEvent::Kind::failure      ? "failed"
                   : story_.end.starts_with("stopped ") ? "stopped"
                                                        : "finished";
    story_.events.push_back({kind, update_, std::string(time), story_.end});
  }

  TrainLog log_;
  RunStory& story_ = log_.story;
  std::string decisions_;  // values of `auto` options, from the newest start that logged any
  std::string changes_;    // results of `changed_option` since the newest start
  bool in_head_ = false, head_decides_ = false, killed_ = false;
  std::int64_t update_ = 0;          // last update in the log
  double started_ = 0, before_ = 0;  // clock at the newest start; run time before it
};

}  // namespace

TrainLog parse_train_log(std::string_view text) {
  LogReader reader;
  std::string entry, time;
  double clock = 0;
  const auto finish_entry = [&] {
    if (time.empty()) return;
    entry.pop_back();  // removes the newline
    reader.take(time, clock, entry);
  };
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) break;  // ignores an incomplete line
    const std::string_view line = text.substr(0, end + 1);
    if (const auto now = clock_of(line)) {
      finish_entry();
      clock = *now;
      time = line.substr(1, stamp_size - 3);
      entry = line.substr(stamp_size);
    } else {
      entry += line;
    }
    text.remove_prefix(end + 1);
  }
  finish_entry();
  return std::move(reader).finish();
}

}  // namespace glossa
