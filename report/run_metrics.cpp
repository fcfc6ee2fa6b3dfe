#include "report/run_metrics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/check.h"
#include "base/json_line.h"
#include "data/text/text_file.h"

namespace glossa {

namespace {

/// Names of columns, as written by run_log.cpp.
const std::vector<std::string> of_training{"update", "epoch",     "seconds",      "loss",  "perplexity",
                                           "lr",     "grad_norm", "tokens_per_s", "waited"};
const std::vector<std::string> of_validation{
    "update",     "epoch",      "seconds",           "valid_loss", "valid_perplexity",
    "valid_bleu", "valid_chrf", "valid_exact_match", "at_end"};

/// Adds columns for further validation corpora, such as `valid_loss:NAME`, when they first occur in a line.
void add_columns(const std::map<std::string, double>& numbers, Series& validation) {
  constexpr std::size_t max_columns = 100;
  for (const auto& [key, value] : numbers) {
    const std::string of_all = key.substr(0, key.find(':'));
    const bool is_watched = of_all != key && std::ranges::find(of_validation, of_all) != of_validation.end();
    const bool is_known = std::ranges::find(validation.names, key) != validation.names.end();
    if (!is_watched || is_known || validation.names.size() == max_columns) continue;
    validation.names.push_back(key);
    for (std::vector<double>& row : validation.rows) row.push_back(std::numeric_limits<double>::quiet_NaN());
  }
}

/// Adds a line to its series. Returns the line's fault, or empty text if it is valid.
std::string take(std::string_view line, RunMetrics& metrics) {
  const auto numbers = numbers_in_json(line);
  if (!numbers) return "expected a JSON object";
  if (!numbers->contains("update") || !std::isfinite(numbers->at("update")))
    return "expected the key update; not found";
  const bool validates = numbers->contains("valid_loss");
  if (!validates && !numbers->contains("loss")) return "expected the key loss or valid_loss; not found";
  Series& series = validates ? metrics.validation : metrics.training;
  if (validates) add_columns(*numbers, series);
  std::vector<double> row;
  for (const std::string& name : series.names) {
    const auto found = numbers->find(name);
    row.push_back(found == numbers->end() ? std::numeric_limits<double>::quiet_NaN() : found->second);
  }
  const bool goes_back = !series.rows.empty() && series.rows.back().front() >= row.front();
  if (goes_back) return "expected a later update than on the lines before";
  series.rows.push_back(std::move(row));
  return "";
}

}  // namespace

std::size_t Series::column(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  check(found != names.end(), "series", "expected one of its columns; got {}", name);
  return static_cast<std::size_t>(found - names.begin());
}

RunMetrics read_metrics(const std::filesystem::path& run, bool being_written) {
  RunMetrics metrics{.training = {of_training, {}}, .validation = {of_validation, {}}, .story = {}, .problems = {}};
  const std::filesystem::path path = run / "metrics.jsonl";
  std::string text;
  try {
    text = read_file(path);
  } catch (const Error& error) {
    metrics.problems.emplace_back(error.what());
    return metrics;
  }
  StoryReader story;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const bool is_whole = end < text.size();
    at = end + 1;
    if (!is_whole && being_written) break;
    const std::string problem = !is_whole        ? "expected a complete line; got part of one"
                                : is_event(line) ? story.take(line)
                                                 : take(line, metrics);
    if (!problem.empty())
      metrics.problems.push_back(fmt::format("[{}:{}] {}. The line is skipped", path.string(), number + 1, problem));
  }
  metrics.story = story.story();
  return metrics;
}

Series thinned(const Series& series, std::size_t limit) {
  const std::size_t count = series.rows.size();
  if (count <= limit) return series;
  const std::size_t columns = series.names.size(), stretches = std::max<std::size_t>(1, limit / (2 * columns));
  std::set<std::size_t> kept{0, count - 1};
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::size_t begin = s * count / stretches, end = (s + 1) * count / stretches;
    for (std::size_t c = 0; c < columns; ++c) {
      std::size_t smallest = begin, greatest = begin;
      for (std::size_t i = begin; i < end; ++i) {  // NaN is neither smallest nor greatest, unless all are NaN
        const double value = series.rows[i][c];
        if (value < series.rows[smallest][c] || std::isnan(series.rows[smallest][c])) smallest = i;
        if (value > series.rows[greatest][c] || std::isnan(series.rows[greatest][c])) greatest = i;
      }
      kept.insert({smallest, greatest});
    }
  }
  Series thin{series.names, {}};
  for (const std::size_t i : kept) thin.rows.push_back(series.rows[i]);
  return thin;
}

}  // namespace glossa
