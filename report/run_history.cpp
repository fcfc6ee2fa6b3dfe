#include "report/run_history.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "base/check.h"
#include "data/text/text_file.h"
#include "report/train_log.h"
#include "train/checkpoint/checkpoint_folder.h"

namespace glossa {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_sentences = 8, max_validations = 40;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// True if any row has a number in the column.
bool has_numbers(const Series& series, std::size_t column) {
  return std::any_of(series.rows.begin(), series.rows.end(),
                     [&](const std::vector<double>& row) { return std::isfinite(row[column]); });
}

bool all_have_numbers(const Series& series, std::size_t column) {
  return std::all_of(series.rows.begin(), series.rows.end(),
                     [&](const std::vector<double>& row) { return std::isfinite(row[column]); });
}

void take_clock(Series& series, const std::map<std::int64_t, double>& clock) {
  const std::size_t seconds = series.column("seconds");
  for (std::vector<double>& row : series.rows) {
    const auto found = clock.find(static_cast<std::int64_t>(row.front()));
    row[seconds] = found == clock.end() ? unknown : found->second;
  }
}

/// Takes all times from the log if the metrics lack any. Returns the meaning of the times (RunHistory::time).
std::string complete_times(RunMetrics& metrics, const TrainLog& log) {
  const std::size_t training = metrics.training.column("seconds"), validation = metrics.validation.column("seconds");
  if (all_have_numbers(metrics.training, training) && all_have_numbers(metrics.validation, validation))
    return "training";
  take_clock(metrics.training, log.training_clock);
  take_clock(metrics.validation, log.validation_clock);
  const bool any = has_numbers(metrics.training, training) || has_numbers(metrics.validation, validation);
  return any ? "clock" : "none";
}

std::vector<std::string> parts_of(const std::string& folder) {
  std::vector<std::string> parts;
  for (const fs::path& part : fs::absolute(folder).lexically_normal())
    if (!part.empty()) parts.push_back(part.string());
  return parts;
}

std::string last_parts(const std::vector<std::string>& parts, std::size_t count) {
  fs::path name;
  for (std::size_t i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i) name /= parts[i];
  return name.string();
}

}  // namespace

RunHistory read_history(const std::string& folder, const Config& config) {
  RunHistory history;
  history.name = history.folder = folder;
  history.config = config;
  history.is_training = has_trainer(folder);  // checked first: if the run has ended, its files no longer change
  history.metrics = read_metrics(folder, history.is_training);
  history.problems = std::move(history.metrics.problems);
  TrainLog log;  // stays empty unless an older version began the run
  try {
    if (!history.metrics.story) log = parse_train_log(read_file(fs::path(folder) / "train.log"));
  } catch (const Error& error) {
    history.problems.emplace_back(error.what());
  }
  history.story = history.metrics.story.value_or(log.story);
  history.state = history.is_training ? "training" : history.story.state;
  history.time = complete_times(history.metrics, log);
  std::set<std::int64_t> validated;
  for (const std::vector<double>& row : history.metrics.validation.rows)
    validated.insert(static_cast<std::int64_t>(row.front()));
  history.samples = read_samples(folder, validated, max_sentences, max_validations, history.problems);
  history.best = linked_update(folder, "best");
  return history;
}

double seconds_at(const RunMetrics& metrics, double update) {
  std::map<double, double> known{{0, 0}};
  for (const Series* series : {&metrics.training, &metrics.validation})
    for (const std::vector<double>& row : series->rows)
      if (const double seconds = row[series->column("seconds")]; std::isfinite(seconds)) known[row.front()] = seconds;
  if (known.size() == 1) return unknown;
  const auto after = known.lower_bound(update);
  if (after == known.end()) return known.rbegin()->second;
  if (after == known.begin()) return after->second;
  const auto before = std::prev(after);
  const double part = (update - before->first) / (after->first - before->first);
  return before->second + part * (after->second - before->second);
}

std::vector<std::string> names_of_runs(std::span<const std::string> folders) {
  std::vector<std::vector<std::string>> paths;
  std::size_t longest = 1;
  for (const std::string& folder : folders) {
    paths.push_back(parts_of(folder));
    longest = std::max(longest, paths.back().size());
  }
  std::vector<std::string> names;
  for (std::size_t count = 1; count <= longest; ++count) {
    names.clear();
    for (const auto& path : paths) names.push_back(last_parts(path, count));
    if (std::set(names.begin(), names.end()).size() == names.size()) break;
  }
  return names;
}

}  // namespace glossa
