#include "report/run_groups.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "train/run.h"

namespace glossa {

namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// Returns a value in a row; NaN if the series lacks the column.
double value_in(const Series& series, const std::vector<double>& row, std::string_view name) {
  const auto column = std::ranges::find(series.names, name);
  return column == series.names.end() ? absent : row[static_cast<std::size_t>(column - series.names.begin())];
}

/// Returns the best checkpoint's validation. If the best checkpoint is unknown, returns the validation with the least
/// loss. Returns null if there is no validation.
const std::vector<double>* best_row(const RunHistory& run) {
  const Series& all = run.metrics.validation;
  const std::vector<double>* least = nullptr;
  double least_loss = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& row : all.rows) {
    if (run.best && row.front() == static_cast<double>(*run.best)) return &row;
    if (const double loss = value_in(all, row, "valid_loss"); loss < least_loss) {
      least_loss = loss;
      least = &row;
    }
  }
  return least;
}

/// Returns the minutes until the last record; NaN if unknown.
double minutes_of(const RunHistory& run) {
  double seconds = absent;
  for (const Series* series : {&run.metrics.training, &run.metrics.validation})
    for (const std::vector<double>& row : series->rows) seconds = std::fmax(seconds, value_in(*series, row, "seconds"));
  return seconds / 60;
}

/// Figures of a run in the order of `figure_names`; NaN if unknown.
constexpr std::array figure_names{"best_loss",  "best_bleu",  "best_chrf", "final_loss",
                                  "final_bleu", "final_chrf", "minutes"};

std::array<double, figure_names.size()> figures_of(const RunHistory& run) {
  const Series& all = run.metrics.validation;
  const std::vector<double>* const best = best_row(run);
  const std::vector<double>* const last = all.rows.empty() ? nullptr : &all.rows.back();
  const auto in = [&](const std::vector<double>* row, const char* name) {
    return row == nullptr ? absent : value_in(all, *row, name);
  };
  return {in(best, "valid_loss"), in(best, "valid_bleu"), in(best, "valid_chrf"), in(last, "valid_loss"),
          in(last, "valid_bleu"), in(last, "valid_chrf"), minutes_of(run)};
}

/// Returns the spread of the finite values; empty if all are non-finite.
std::optional<Spread> spread_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return {};
  Spread spread{.count = values.size()};
  spread.minimum = std::ranges::min(values);
  spread.maximum = std::ranges::max(values);
  const auto count = static_cast<double>(values.size());
  for (const double value : values) spread.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.deviation = std::sqrt(squares / (count - 1));  // 0 / 0 for a single value
  return spread;
}

/// True if two configurations differ in the seed but otherwise train alike. Ignores options of use.
bool differ_in_seed_only(const Config& a, const Config& b) {
  return a.train.seed != b.train.seed && std::ranges::all_of(differences(a, b), [](const OptionDifference& option) {
           return option.key == "train.seed" || is_of_use(option.key);
         });
}

/// Formats a mean and, for several runs, its standard deviation; "-" if no run has the figure.
std::string in_cell(const RunGroup& group, std::string_view name, int digits) {
  const auto figure = std::ranges::find(group.figures, name, &GroupFigure::name);
  if (!figure->spread) return "-";
  const Spread& spread = *figure->spread;
  std::string cell = fmt::format("{:.{}f}", spread.mean, digits);
  if (spread.count > 1) cell += fmt::format(" ± {:.{}f}", spread.deviation, digits);
  if (spread.count < group.runs.size()) cell += fmt::format(" ({} of them)", spread.count);
  return cell;
}

}  // namespace

std::vector<RunGroup> groups_of(std::span<const RunHistory> runs) {
  std::vector<RunGroup> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto group = std::ranges::find_if(groups, [&](const RunGroup& g) {
      return std::ranges::all_of(
          g.runs, [&](std::size_t other) { return differ_in_seed_only(runs[other].config, runs[i].config); });
    });
    if (group == groups.end())
      groups.push_back({.runs = {i}, .figures = {}});
    else
      group->runs.push_back(i);
  }
  std::erase_if(groups, [](const RunGroup& group) { return group.runs.size() < 2; });
  for (RunGroup& group : groups) {
    std::array<std::vector<double>, figure_names.size()> values;
    for (const std::size_t run : group.runs) {
      const auto figures = figures_of(runs[run]);
      for (std::size_t f = 0; f < figures.size(); ++f) values[f].push_back(figures[f]);
    }
    for (std::size_t f = 0; f < values.size(); ++f) group.figures.push_back({figure_names[f], spread_of(values[f])});
  }
  return groups;
}

std::string group_table(std::span<const RunHistory> runs, std::span<const RunGroup> groups) {
  if (groups.empty()) return "";
  std::string table = "runs that differ in train.seed only, at their best checkpoints: mean ± standard deviation\n";
  table += fmt::format("{:>4}  {:<24}  {:<24}  {:<26}  {}\n", "runs", "BLEU", "chrF2", "loss", "names");
  for (const RunGroup& group : groups) {
    std::vector<std::string> names;
    for (const std::size_t run : group.runs) names.push_back(runs[run].name);
    table += fmt::format("{:>4}  {:<24}  {:<24}  {:<26}  {}\n", group.runs.size(), in_cell(group, "best_bleu", 2),
                         in_cell(group, "best_chrf", 2), in_cell(group, "best_loss", 4), fmt::join(names, ", "));
  }
  return table;
}

}  // namespace glossa
