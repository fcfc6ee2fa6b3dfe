#include "train/run_log.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>

#include "autograd/check.h"
#include "data/text/atomic_file.h"
#include "data/text/counted.h"
#include "data/text/text_file.h"
#include "data/text/utf8.h"
#include "train/console/json_line.h"

namespace glossa {
namespace {

/// The text with the time before it.
std::string stamped(std::string_view line) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char time[32];
  std::strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S", &local);
  return fmt::format("[{}] {}\n", time, line);
}

// Columns on a terminal, however wide it is, of sentences and of lines that stand below each other.
constexpr std::size_t readable = 100, any = std::string::npos;

/// One line, broken between words into lines of at most `width` characters; those after the first are indented.
std::string broken(std::string_view line, std::size_t width) {
  constexpr std::string_view indent = "    ";
  std::string lines;
  std::size_t used = 0;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' ', 1));  // with the space before it
    std::size_t characters = 0;
    utf8::for_each(word, [&](std::string_view, utf8::CodePoint) { ++characters; });
    const bool breaks = used + characters > width && used > indent.size() && word.starts_with(' ');
    lines += breaks ? fmt::format("\n{}{}", indent, word.substr(1)) : std::string(word);
    used = breaks ? indent.size() + characters - 1 : used + characters;
    line.remove_prefix(word.size());
  }
  return lines;
}

/// A text of whole lines, each of them broken so.
std::string broken_lines(std::string_view text, std::size_t width) {
  std::string lines;
  for (std::size_t end = 0; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    lines += broken(text.substr(0, end), width) + '\n';
  return lines;
}

constexpr std::string_view best = "new best";
constexpr std::string_view end_mark = "\"at_end\":true";

std::filesystem::path metrics_file(const std::filesystem::path& run) { return run / "metrics.jsonl"; }

/// All of a file; empty if there is none.
std::string text_of(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool missing = std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found;
  return missing ? "" : read_file(path);
}

/// The whole lines of a text. Without its newline the last one is half-written, even where it happens to parse.
std::vector<std::string> whole_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != text.npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  return lines;
}

/// Cuts off what a run that goes on from `updates_done` will write again.
std::filesystem::path cut_metrics(const std::filesystem::path& path, std::int64_t updates_done, bool goes_on) {
  const std::string text = text_of(path);
  std::string kept;
  for (const std::string& line : whole_lines(text)) {
    const bool is_past = whole_in_json(line, "update").value_or(updates_done + 1) <= updates_done;
    if (is_past && !(goes_on && line.find(end_mark) != line.npos)) kept += line + '\n';
  }
  if (kept != text) write_file_atomically(path, kept);
  return path;
}

}  // namespace

RunLog::Appender::Appender(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) {
  check(descriptor_ >= 0, path_.string(), "expected a file that can be written; got: {}", std::strerror(errno));
}

RunLog::Appender::~Appender() { close(descriptor_); }

void RunLog::Appender::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    check(written > 0, path_.string(), "expected to append {} bytes; got: {}", text.size(), std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

RunLog::RunLog(const std::filesystem::path& run, std::int64_t updates_done, std::FILE* terminal, bool goes_on)
    : terminal_(terminal),
      bar_(terminal),
      log_(run / "train.log"),
      metrics_(cut_metrics(metrics_file(run), updates_done, goes_on)),
      last_validation_(glossa::last_validation(run)) {}

RunLog::RunLog(std::int64_t last_validation)
    : terminal_(stderr), bar_(terminal_), log_("/dev/null"), metrics_("/dev/null"), last_validation_(last_validation) {}

void RunLog::line(std::string_view text) { tell(text, readable); }

void RunLog::warning(std::string_view text) {
  tell(text, readable, Verbosity::quiet, Marked{text.substr(0, text.find(':') + 1), Colour::warning});
}

void RunLog::tell(std::string_view text, std::size_t columns, Verbosity least, const std::optional<Marked>& marked) {
  bar_.clear();
  const std::string line = stamped(text);
  if (verbosity() >= least) {
    std::string shown = bar_.is_on_terminal() ? broken_lines(line, std::min(columns, terminal_width(terminal_))) : line;
    if (const std::size_t at = marked ? shown.find(marked->part) : shown.npos; at != shown.npos)
      shown.replace(at, marked->part.size(), coloured(terminal_, marked->colour, marked->part));
    std::fwrite(shown.data(), 1, shown.size(), terminal_);
    std::fflush(terminal_);
  }
  log_.write(line);
}

void RunLog::record(std::string_view text) { tell(text, any, Verbosity::verbose); }

void RunLog::error(std::string_view text) noexcept {
  try {
    log_.write(stamped(fmt::format("error: {}", text)));
  } catch (const Error&) {
    // A full disk may be what ends the run.
  }
}

void RunLog::training(const TrainingReport& report) {
  JsonLine json;
  json.add("update", report.update).add("epoch", report.epoch).add("loss", report.loss);
  json.add("perplexity", std::exp(report.loss));
  json.add("tokens_per_s", report.tokens_per_s).add("lr", report.lr).add("grad_norm", report.grad_norm);
  metrics_.write(json.text() + '\n');
  tell(fmt::format("Ep. {} : Up. {} : loss {:.4f} : ppl {:.2f} : {:.0f} tokens/s : lr {:.3e} : gnorm {:.3f}",
                   report.epoch, report.update, report.loss, std::exp(report.loss), report.tokens_per_s, report.lr,
                   report.grad_norm),
       any);
}

void RunLog::validation(const ValidationReport& report) {
  JsonLine json;
  json.add("update", report.update).add("epoch", report.epoch).add("valid_loss", report.loss);
  json.add("valid_perplexity", std::exp(report.loss));
  std::string text = fmt::format("Ep. {} : Up. {} : valid loss {:.4f} : ppl {:.2f}", report.epoch, report.update,
                                 report.loss, std::exp(report.loss));
  const auto add = [&](const char* key, const char* label, const std::optional<double>& value, int digits) {
    if (!value) return;
    json.add(key, *value);
    text += fmt::format(" : {} {:.{}f}", label, *value, digits);
  };
  add("valid_bleu", "BLEU", report.bleu, 2);
  add("valid_chrf", "chrF", report.chrf, 2);
  add("valid_exact_match", "exact match", report.exact_match, 4);
  if (report.at_end) json.add("at_end", true);
  metrics_.write(json.text() + '\n');
  last_validation_ = report.update;
  if (report.at_end) text += " : at the end";
  text += report.stalled == 0 ? fmt::format(" : {}", best) : " : stalled " + counted(report.stalled, "time");
  if (!report.samples.empty()) text.append(1, '\n').append(report.samples.front());
  tell(text, any, Verbosity::usual, report.stalled == 0 ? std::optional(Marked{best, Colour::good}) : std::nullopt);
}

std::int64_t last_validation(const std::filesystem::path& run) {
  std::int64_t last = 0;
  for (const std::string& line : whole_lines(text_of(metrics_file(run))))
    if (line.find("\"valid_loss\":") != line.npos) last = whole_in_json(line, "update").value_or(last);
  return last;
}

}  // namespace glossa
