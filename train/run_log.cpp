#include "train/run_log.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "autograd/check.h"
#include "data/text/counted.h"
#include "data/text/text_file.h"
#include "data/text/utf8.h"
#include "files/atomic_file.h"
#include "files/printable.h"
#include "train/console/json_line.h"
#include "train/tensorboard/attention_image.h"

namespace glossa {
namespace {

/// Prefixes the text with the time, which no further line of it seems to have.
std::string stamped(std::string_view text) {
  std::string lines = printable(text);
  for (std::size_t at = 0; (at = lines.find("\n[", at)) != lines.npos;) lines.replace(at, 1, "\\n");
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char time[32];
  std::strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S", &local);
  return fmt::format("[{}] {}\n", time, lines);
}

// Maximum columns on a terminal, of sentences and of lines arranged below each other.
constexpr std::size_t readable = 100, any = std::string::npos;

/// Breaks a line between words into lines of at most `width` characters; all but the first are indented.
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

/// Breaks each line of a text.
std::string broken_lines(std::string_view text, std::size_t width) {
  std::string lines;
  for (std::size_t end = 0; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    lines += broken(text.substr(0, end), width) + '\n';
  return lines;
}

constexpr std::string_view best = "new best";
constexpr std::string_view end_mark = "\"at_end\":true";

/// Reads a whole file; empty if missing.
std::string text_of(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool missing = std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found;
  return missing ? "" : read_file(path);
}

/// Splits off a text's whole lines. Without a newline the last one is half-written, even if it parses.
std::vector<std::string> whole_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != text.npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  return lines;
}

/// Drops metrics that a run resumed from `updates_done` writes again.
std::filesystem::path cut_metrics(const std::filesystem::path& run, std::int64_t updates_done, bool resumes) {
  const std::filesystem::path path = metrics_file(run);
  const std::string text = text_of(path);
  std::string kept;
  for (const std::string& line : whole_lines(text)) {
    const bool is_past = integer_in_json(line, "update").value_or(updates_done + 1) <= updates_done;
    if (is_past && !(resumes && line.find(end_mark) != line.npos)) kept += line + '\n';
  }
  if (kept != text) write_file_atomically(path, kept);
  return path;
}

/// Figures of a line of metrics.jsonl, also for TensorBoard: `valid_loss` is `valid/loss` there.
class Figures {
 public:
  Figures(std::string_view group, std::int64_t update, std::int64_t epoch) : group_(group) {
    json_.add("update", update).add("epoch", epoch);
    add_scalar("epoch", static_cast<double>(epoch));
  }

  Figures& add(std::string_view key, double value) {
    json_.add(key, value);
    add_scalar(key.starts_with(group_ + "_") ? key.substr(group_.size() + 1) : key, value);
    return *this;
  }

  JsonLine& json() { return json_; }
  std::span<const Scalar> scalars() const { return scalars_; }

 private:
  void add_scalar(std::string_view name, double value) {
    scalars_.push_back({fmt::format("{}/{}", group_, name), value});
  }

  std::string group_;
  JsonLine json_;
  std::vector<Scalar> scalars_;
};

/// Labels for the pictures of attention.
std::string tokens_of(std::span<const AttentionMaps> sentences) {
  std::string text =
      "a tile is one layer (downward) and head (rightward) of a sentence;\nits rows attend to its columns, darkest "
      "where most";
  for (const AttentionMaps& maps : sentences)
    text += fmt::format("\n\nsource     {}\ntarget     {}\nwritten    {}", fmt::join(maps.source, " "),
                        fmt::join(maps.target, " "), fmt::join(maps.output, " "));
  return text;
}

}  // namespace

std::filesystem::path metrics_file(const std::filesystem::path& run) { return run / "metrics.jsonl"; }

RunLog::RunLog(const std::filesystem::path& run, std::int64_t updates_done, std::FILE* terminal, bool resumes)
    : terminal_(terminal),
      bar_(terminal),
      log_(run / "train.log"),
      metrics_(cut_metrics(run, updates_done, resumes)),
      last_validation_(glossa::last_validation(run)) {
  for (const std::string& damage : EventFile::cut(run, updates_done, resumes)) warning("warning: " + damage);
}

RunLog::RunLog(std::int64_t last_validation)
    : terminal_(stderr), bar_(terminal_), log_("/dev/null"), metrics_("/dev/null"), last_validation_(last_validation) {}

void RunLog::line(std::string_view text) { print_note(text, readable); }

void RunLog::warning(std::string_view text) {
  print_note(text, readable, Verbosity::quiet, Marked{text.substr(0, text.find(':') + 1), Color::warning});
}

void RunLog::print_note(std::string_view text, std::size_t columns, Verbosity level,
                        const std::optional<Marked>& marked) {
  const std::string line = stamped(text);
  show(line, columns, level, marked);
  log_.write(line);
}

void RunLog::show(const std::string& line, std::size_t columns, Verbosity level, const std::optional<Marked>& marked) {
  bar_.clear();
  if (verbosity() < level) return;
  std::string shown = bar_.is_on_terminal() ? broken_lines(line, std::min(columns, terminal_width(terminal_))) : line;
  if (const std::size_t at = marked ? shown.find(marked->part) : shown.npos; at != shown.npos)
    shown.replace(at, marked->part.size(), colored(terminal_, marked->color, marked->part));
  std::fwrite(shown.data(), 1, shown.size(), terminal_);
  std::fflush(terminal_);
}

void RunLog::detail(std::string_view text) { show(stamped(text), any, Verbosity::verbose); }

void RunLog::error(std::string_view text) noexcept {
  try {
    log_.write(stamped(fmt::format("error: {}", printable_line(text))));
  } catch (...) {
    // A full disk or lack of memory may have ended the run.
  }
}

void RunLog::begin_events(const std::filesystem::path& run, std::int64_t updates_done, bool resumes,
                          std::string_view configuration) {
  events_.emplace(run, updates_done, resumes);
  if (resumes) events_->text(updates_done, "configuration", configuration);
}

void RunLog::training(const TrainingReport& report) {
  Figures figures("train", report.update, report.epoch);
  figures.add("loss", report.loss).add("perplexity", std::exp(report.loss));
  figures.add("tokens_per_s", report.tokens_per_s).add("lr", report.lr).add("grad_norm", report.grad_norm);
  figures.add("seconds", report.seconds);
  metrics_.write(figures.json().text() + '\n');
  if (events_) events_->scalars(report.update, figures.scalars());
  const std::string loss = std::isnan(report.loss)
                               ? "no loss, as all updates were skipped"
                               : fmt::format("loss {:.4f} : ppl {:.2f}", report.loss, std::exp(report.loss));
  print_note(fmt::format("Ep. {} : Up. {} : {} : {:.0f} tokens/s : lr {:.3e} : gnorm {:.3f}", report.epoch,
                         report.update, loss, report.tokens_per_s, report.lr, std::abs(report.grad_norm)),
             any);
}

void RunLog::validation(const ValidationReport& report) {
  Figures figures("valid", report.update, report.epoch);
  figures.add("valid_loss", report.loss).add("valid_perplexity", std::exp(report.loss));
  std::string text = fmt::format("Ep. {} : Up. {} : valid loss {:.4f} : ppl {:.2f}", report.epoch, report.update,
                                 report.loss, std::exp(report.loss));
  const auto add = [&](const std::string& key, const char* label, const std::optional<double>& value, int digits) {
    if (!value) return;
    figures.add(key, *value);
    text += fmt::format(" : {} {:.{}f}", label, *value, digits);
  };
  const auto add_scores = [&](const auto& scores, const std::string& of) {
    add("valid_bleu" + of, "BLEU", scores.bleu, 2);
    add("valid_chrf" + of, "chrF", scores.chrf, 2);
    add("valid_exact_match" + of, "exact match", scores.exact_match, 4);
  };
  add_scores(report, "");
  std::string first_line = std::exchange(text, "");
  for (const WatchedReport& watched : report.watched) {
    const std::string of = ":" + watched.name;
    figures.add("valid_loss" + of, watched.loss).add("valid_perplexity" + of, std::exp(watched.loss));
    text +=
        fmt::format("\n    {} : valid loss {:.4f} : ppl {:.2f}", watched.name, watched.loss, std::exp(watched.loss));
    add_scores(watched, of);
  }
  std::string lines_below = std::exchange(text, std::move(first_line));
  figures.add("seconds", report.seconds);
  if (report.at_end) figures.json().add("at_end", true);
  metrics_.write(figures.json().text() + '\n');
  if (events_) write_events(report, figures.scalars());
  last_validation_ = report.update;
  if (report.update == 0) text += " : before training";
  if (report.at_end) text += " : at the end";
  text += report.stalled == 0 ? fmt::format(" : {} {}", best, report.metric)
                              : fmt::format(" : {} stalled {}", report.metric, counted(report.stalled, "time"));
  text += lines_below;
  if (!report.samples.empty()) text.append(1, '\n').append(report.samples.front());
  print_note(text, any, Verbosity::usual,
             report.stalled == 0 ? std::optional(Marked{best, Color::good}) : std::nullopt);
}

void RunLog::write_events(const ValidationReport& report, std::span<const Scalar> scalars) {
  if (report.at_end) events_->end(report.update);
  events_->scalars(report.update, scalars);
  for (std::size_t i = 0; i < report.samples.size(); ++i)
    events_->text(report.update, fmt::format("samples/{}", i + 1), report.samples[i]);
  if (report.attention.empty()) return;
  const std::pair<const char*, AttentionMaps::Layers AttentionMaps::*> parts[] = {
      {"encoder", &AttentionMaps::encoder}, {"decoder", &AttentionMaps::decoder}, {"cross", &AttentionMaps::cross}};
  for (const auto& [name, part] : parts)
    events_->image(report.update, fmt::format("attention/{}", name), attention_image(report.attention, part));
  events_->text(report.update, "attention/tokens", tokens_of(report.attention));
}

std::int64_t last_validation(const std::filesystem::path& run) {
  std::int64_t last = 0;
  for (const std::string& line : whole_lines(text_of(metrics_file(run))))
    if (line.find("\"valid_loss\":") != line.npos) last = integer_in_json(line, "update").value_or(last);
  return last;
}

}  // namespace glossa
