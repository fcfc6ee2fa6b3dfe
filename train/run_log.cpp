#include "train/run_log.h"

#include <fmt/core.h>

#include <set>
#include <sstream>

#include "base/atomic_file.h"
#include "base/json_line.h"
#include "base/printable.h"
#include "data/text/text_file.h"
#include "train/report_figures.h"

namespace glossa {

namespace {

constexpr const char* at_end = "at_end";

/// Reads a whole file; returns empty text if it is missing.
std::string text_of(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool missing = std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found;
  return missing ? "" : read_file(path);
}

/// True if a run resumed from `updates_done` will write this line of the metrics again, or if the line is damaged.
bool is_repeated(const std::string& line, std::int64_t updates_done, bool resumes) {
  static const std::set<std::string> once{name(TrainingEvent::Kind::start), name(TrainingEvent::Kind::resume),
                                          name(TrainingEvent::Kind::stop), name(TrainingEvent::Kind::end),
                                          name(TrainingEvent::Kind::failure)};
  if (updates_done < 0) return true;
  const auto numbers = numbers_in_json(line);
  if (!numbers || !numbers->contains("update")) return true;
  if (once.contains(text_in_json(line, "event").value_or(""))) return false;
  return !(numbers->at("update") <= static_cast<double>(updates_done)) || (resumes && numbers->contains(at_end));
}

/// Drops metrics that a run resumed from `updates_done` will write again. Returns the last update in the file before
/// the drop.
std::int64_t cut_metrics(const std::filesystem::path& path, std::int64_t updates_done, bool resumes) {
  const std::string text = text_of(path);
  std::string kept;
  std::int64_t reached = 0;
  std::istringstream lines(text);
  // Without a newline, the last line is incomplete, even if it parses.
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    if (const auto numbers = numbers_in_json(line);
        numbers && numbers->contains("update") && is_whole(numbers->at("update")))
      reached = static_cast<std::int64_t>(numbers->at("update"));
    if (!is_repeated(line, updates_done, resumes)) kept += line + '\n';
  }
  if (kept != text) write_file_atomically(path, kept);
  return reached;
}

JsonLine event_line(const char* name, std::int64_t update) {
  JsonLine json;
  json.add("event", name).add("update", update);
  return json;
}

JsonLine figures_line(const auto& report) {
  JsonLine json;
  json.add("update", report.update).add("epoch", report.epoch);
  for (const auto& [key, value] : figures_of(report)) json.add(key, value);
  return json;
}

}  // namespace

std::string stamped(const LogLine& line) {
  std::string lines = printable(line.text);
  for (std::size_t at = 0; (at = lines.find("\n[", at)) != lines.npos;) lines.replace(at, 1, "\\n");
  return fmt::format("[{}] {}\n", line.time, lines);
}

std::filesystem::path metrics_file(const std::filesystem::path& run) { return run / "metrics.jsonl"; }

RunLog::RunLog(const std::filesystem::path& run, std::int64_t updates_done, bool resumes)
    : log_(run / "train.log"),
      reached_(cut_metrics(metrics_file(run), updates_done, resumes)),
      metrics_(metrics_file(run)) {}

void RunLog::log(const LogLine& line) {
  if (line.kind == LogLine::Kind::detail) return;
  if (line.kind != LogLine::Kind::error) return log_.write(stamped(line));
  log_.write(stamped({.text = "error: " + printable_line(line.text), .time = line.time}));
}

void RunLog::event(const TrainingEvent& event) {
  using Kind = TrainingEvent::Kind;
  JsonLine json = event_line(name(event.kind), event.update);
  json.add("time", event.time).add("text", event.text);
  if (event.kind == Kind::start || event.kind == Kind::resume)
    json.add("parameters", event.parameters).add("decided", event.decided).add("log", event.head);
  if (event.kind == Kind::resume) json.add("reached", reached_);
  if (event.kind == Kind::stop || event.kind == Kind::end)
    json.add("reason", event.reason)
        .add("refused", event.refused)
        .add("epochs", event.epochs)
        .add("seconds", event.seconds)
        .add("peak_mib", event.peak_mib);
  metrics_.write(json.text() + '\n');
}

void RunLog::training(const TrainingReport& report) { metrics_.write(figures_line(report).text() + '\n'); }

void RunLog::validation(const ValidationReport& report) {
  JsonLine figures = figures_line(report), event = event_line("validation", report.update);
  event.add("metric", report.metric).add("best", report.stalled == 0).add("stalled", report.stalled);
  for (JsonLine* json : {&figures, &event}) {
    if (report.at_end) json->add(at_end, true);
    metrics_.write(json->text() + '\n');
  }
}

void RunLog::checkpoint(const CheckpointReport& report) {
  JsonLine json = event_line("checkpoint", report.update);
  json.add("file", report.file.filename().string()).add("best", report.is_best);
  metrics_.write(json.text() + '\n');
}

}  // namespace glossa
