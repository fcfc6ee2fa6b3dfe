#include "train/training_console.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/console/print.h"
#include "data/text/utf8.h"
#include "train/run_log.h"

namespace glossa {

namespace {

// Maximum widths on a terminal, in columns: of sentences, and of lines of figures.
constexpr std::size_t readable = 100, any = std::string::npos;

/// Breaks a line between words into lines of at most `width` characters; all but the first are indented.
std::string broken(std::string_view line, std::size_t width) {
  constexpr std::string_view indent = "    ";
  std::string lines;
  std::size_t used = 0;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' ', 1));  // includes the space before it
    std::size_t characters = 0;
    utf8::for_each(word, [&](std::string_view, utf8::CodePoint) { ++characters; });
    const bool breaks = used + characters > width && used > indent.size() && word.starts_with(' ');
    lines += breaks ? fmt::format("\n{}{}", indent, word.substr(1)) : std::string(word);
    used = breaks ? indent.size() + characters - 1 : used + characters;
    line.remove_prefix(word.size());
  }
  return lines;
}

/// Breaks each line of a text.
std::string broken_lines(std::string_view text, std::size_t width) {
  std::string lines;
  for (std::size_t end = 0; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    lines += broken(text.substr(0, end), width) + '\n';
  return lines;
}

/// Returns the lowest verbosity that shows a line.
Verbosity level_of(LogLine::Kind kind) {
  if (kind == LogLine::Kind::detail) return Verbosity::verbose;
  return kind == LogLine::Kind::warning ? Verbosity::quiet : Verbosity::usual;
}

}  // namespace

void TrainingConsole::log(const LogLine& line) {
  using Kind = LogLine::Kind;
  if (line.kind == Kind::error) return;
  bar_.clear();
  if (verbosity() < level_of(line.kind)) return;
  const bool is_warning = line.kind == Kind::warning, is_sentence = line.kind == Kind::note || is_warning;
  std::string shown = stamped(line);
  if (bar_.is_on_terminal())
    shown = broken_lines(shown, std::min(is_sentence ? readable : any, terminal_width(terminal_)));
  const std::string marked = is_warning ? line.text.substr(0, line.text.find(':') + 1) : line.highlight;
  if (const std::size_t at = marked.empty() ? shown.npos : shown.find(marked); at != shown.npos)
    shown.replace(at, marked.size(), colored(terminal_, is_warning ? Color::warning : Color::good, marked));
  std::fwrite(shown.data(), 1, shown.size(), terminal_);
  std::fflush(terminal_);
}

void TrainingConsole::update(const UpdateReport& report) {
  if (!bar_.is_due()) return;
  const TrainingReport& now = report.training;
  std::string text =
      fmt::format("update {}, epoch {:.2f}, {}, {:.0f} tokens/s", now.update, report.epochs,
                  std::isnan(now.loss) ? "no loss" : fmt::format("loss {:.3f}", now.loss), now.tokens_per_s);
  if (report.seconds_left) text += fmt::format(", {} left", clock_text(*report.seconds_left));
  if (report.seconds_to_validation) text += ", validation in " + clock_text(*report.seconds_to_validation);
  bar_.draw(report.part, text);
}

void TrainingConsole::validating(std::int64_t done, std::int64_t all) {
  if (!sentences_) {
    sentences_.emplace(bar_, "sentence", all);
    done_ = 0;
  }
  sentences_->add(done - std::exchange(done_, done));
}

}  // namespace glossa
