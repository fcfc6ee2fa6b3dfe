#include "report/report.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/console/print.h"
#include "base/json_line.h"
#include "base/version.h"
#include "pages/page.h"
#include "report/run_groups.h"

namespace glossa {

namespace {

constexpr std::size_t max_rows = 2000, max_events = 200, max_problems = 20;

/// Formats the columns of the thinned series as arrays, without empty columns. `rows` is the original number of rows.
JsonLine json_of(const Series& all) {
  const Series series = thinned(all, max_rows);
  JsonLine json;
  json.add("rows", all.rows.size());
  for (std::size_t c = 0; c < series.names.size(); ++c) {
    std::vector<double> values;
    for (const std::vector<double>& row : series.rows) values.push_back(row[c]);
    if (c == 0 || std::any_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
      json.add_numbers(series.names[c], values);
  }
  return json;
}

const char* name(RunEvent::Kind kind) {
  constexpr std::array names{"stop", "resume", "refused", "failure"};  // names in the order of the enumerators of Kind
  return names.at(static_cast<std::size_t>(kind));
}

/// Formats the newest events, at most `max_events`.
std::vector<JsonLine> json_of(const std::vector<RunEvent>& events, const RunMetrics& metrics) {
  std::vector<JsonLine> all;
  for (std::size_t i = events.size() - std::min(events.size(), max_events); i < events.size(); ++i) {
    const RunEvent& event = events[i];
    JsonLine json;
    json.add("kind", name(event.kind)).add("update", event.update);
    json.add("seconds", seconds_at(metrics, static_cast<double>(event.update)));
    json.add("time", event.time).add("text", event.text);
    all.push_back(std::move(json));
  }
  return all;
}

std::vector<JsonLine> json_of(const std::vector<WatchedSentence>& samples) {
  std::vector<JsonLine> all;
  for (const WatchedSentence& sample : samples) {
    JsonLine json;
    json.add("source", sample.source).add("reference", sample.reference);
    json.add_numbers("updates", std::vector<double>(sample.updates.begin(), sample.updates.end()));
    json.add("outputs", sample.outputs);
    all.push_back(std::move(json));
  }
  return all;
}

/// Returns the first `max_problems` texts and, if there are more, a text with their number.
std::vector<std::string> bounded(std::vector<std::string> texts) {
  if (texts.size() <= max_problems) return texts;
  const std::size_t more = texts.size() - max_problems;
  texts.resize(max_problems);
  texts.push_back(fmt::format("and {} more", more));
  return texts;
}

JsonLine json_of(const RunHistory& run, std::size_t corpus, const RunAttention& attention) {
  JsonLine json;
  json.add("name", run.name).add("folder", run.folder).add("state", run.state).add("end", run.story.end);
  json.add("parameters", run.story.parameters);
  if (run.best) json.add("best", *run.best);
  json.add("time", run.time).add("training", json_of(run.metrics.training));
  json.add("validation", json_of(run.metrics.validation));
  json.add("events", json_of(run.story.events, run.metrics)).add("event_count", run.story.events.size());
  json.add("log", run.story.head).add("samples", json_of(run.samples));
  json.add("corpus", corpus).add("problems", bounded(run.problems));
  json.add_json("attention", attention.maps.empty() ? "[]" : attention.maps);
  json.add("attention_missing", attention.missing);
  return json;
}

/// Lists every option with its values in the runs.
std::vector<JsonLine> options_of(std::span<const RunHistory> runs) {
  std::vector<JsonLine> all;
  for (const Option<Config>& option : all_options()) {
    std::vector<std::string> values;
    for (const RunHistory& run : runs) values.push_back(option.text(run.config));
    JsonLine json;
    json.add("key", option.key).add("help", option.help).add("usual", option.text(Config{})).add("values", values);
    json.add("differs", std::ranges::adjacent_find(values, std::ranges::not_equal_to{}) != values.end());
    all.push_back(std::move(json));
  }
  return all;
}

/// Formats the groups of runs, each with its known figures.
std::vector<JsonLine> json_of(const std::vector<RunGroup>& groups) {
  std::vector<JsonLine> all;
  for (const RunGroup& group : groups) {
    JsonLine json;
    json.add_numbers("runs", std::vector<double>(group.runs.begin(), group.runs.end()));
    for (const auto& [name, spread] : group.figures) {
      if (!spread) continue;
      JsonLine figure;
      figure.add("count", spread->count).add("mean", spread->mean).add("deviation", spread->deviation);
      json.add(name, figure.add("minimum", spread->minimum).add("maximum", spread->maximum));
    }
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace

std::string report_json(std::span<const RunHistory> runs, std::span<const RunAttention> attention, CorpusBook& corpora,
                        bool following) {
  std::vector<std::string> different;  // distinct corpora; runs refer to them by index
  std::vector<JsonLine> documents;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string& figures = corpora.figures(runs[i].folder, runs[i].config);
    const auto place = std::find(different.begin(), different.end(), figures);
    const auto corpus = static_cast<std::size_t>(place - different.begin());
    if (place == different.end()) different.push_back(figures);
    documents.push_back(json_of(runs[i], corpus, i < attention.size() ? attention[i] : RunAttention{}));
  }
  JsonLine json;
  json.add("glossa", program_version).add("written", local_time("%Y-%m-%d %H:%M")).add("following", following);
  json.add("runs", documents).add_json("corpora", fmt::format("[{}]", fmt::join(different, ",")));
  json.add("groups", json_of(groups_of(runs))).add("options", options_of(runs));
  return json.text();
}

std::string report_page(const std::string& json) { return page("report.html", "glossa-report", json); }

}  // namespace glossa
