#include "app/commands/other_system.h"

#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/nearest_name.h"
#include "data/text/counted.h"
#include "data/text/shell_word.h"
#include "data/text/text_file.h"
#include "train/console/json_line.h"
#include "train/run.h"
#include "train/run_scoring.h"

namespace glossa::commands {

OtherSystem::OtherSystem(const std::string& named, std::string_view policy, const std::string& split_sentences)
    : named_(named), name_(named), split_sentences_(split_sentences), bad_lines_(policy) {
  if (!std::filesystem::exists(named)) {
    const std::string nearest = nearest_path(named);
    fail(named.empty() ? "--compare" : named,
         "expected a run, or a file with a translation per line; not found. Hint: {}",
         nearest.empty() ? "check the path" : fmt::format("did you mean {}?", shell_path(nearest)));
  }
  if (!std::filesystem::is_directory(named) && !std::filesystem::is_regular_file(named)) return;  // a pipe
  if (const RunName run(named); run.is_of_run()) config_ = load_run_config(run.folder());
}

void OtherSystem::read(const ParallelCorpus& corpus, const DataConfig& data) {
  if (config_) return;
  lines_ = read_lines(named_, data.reading.text);
  check_line_count(corpus.source_name, corpus.source.size(), named_, lines_.size());
}

std::vector<std::string> OtherSystem::translations(ParallelCorpus corpus, const DataConfig& data,
                                                   EvaluationOptions options, const Job& job) {
  if (config_) {
    const RunName name(named_);
    const LoadedRun run = load_run(name, *config_, job);
    std::vector<std::string> files;
    for (const std::filesystem::path& file : run.checkpoints) files.push_back(file.string());
    name_ = fmt::format("{} (update {})", fmt::join(files, ", "), run.state.update);
    options.split_sentences = splits_sentences(split_sentences_, run.state.text);
    options.bad_line = bad_lines_.handler();
    CorpusTranslation found = translate_corpus(run, corpus, options, job);
    untranslated_ = found.untranslated;
    lines_ = std::move(found.translations);
  }
  for (std::string& line : lines_) line = normalize(data, line);
  return std::move(lines_);
}

int OtherSystem::status(std::size_t lines) const {
  return bad_lines_.status(named_, untranslated_, static_cast<std::int64_t>(lines), "translated");
}

std::string comparison_table(const PairedBootstrap& found, const std::string& other) {
  std::string table =
      fmt::format("compared with {}: paired bootstrap, {}\n", other, counted(found.resamples, "resample"));
  table += fmt::format("{:<6}{:<24}{:<24}{:>10}  {}\n", "", "RUN (mean ± 95 % CI)", "OTHER (mean ± 95 % CI)",
                       "difference", "p");
  for (const auto& [name, score] :
       {std::pair{"BLEU", found.bleu}, std::pair{"chrF2", found.chrf}, std::pair{"TER", found.ter}}) {
    const auto side = [](const ResampledScore& of) {
      return fmt::format("{:.2f} ({:.2f} ± {:.2f})", of.score, of.mean, of.interval);
    };
    table += fmt::format("{:<6}{:<24}{:<24}{:>+10.2f}  {}\n", name, side(score.system), side(score.other),
                         score.difference(), std::isnan(score.p_value) ? "-" : fmt::format("{:.4f}", score.p_value));
  }
  return table;
}

std::string comparison_json(const PairedBootstrap& found, const std::string& other) {
  JsonLine json;
  json.add("other", other).add("resamples", found.resamples);
  for (const auto& [key, score] :
       {std::pair{"bleu", found.bleu}, std::pair{"chrf", found.chrf}, std::pair{"ter", found.ter}}) {
    const auto side = [](const ResampledScore& of) {
      return JsonLine().add("score", of.score).add("mean", of.mean).add("interval", of.interval);
    };
    json.add(key, JsonLine()
                      .add("run", side(score.system))
                      .add("other", side(score.other))
                      .add("difference", score.difference())
                      .add("p", score.p_value));
  }
  return json.text();
}

}  // namespace glossa::commands
