#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/input.h"
#include "train/run_evaluation.h"
#include "train/scores/paired_bootstrap.h"

namespace glossa::commands {

/// The other system of `glossa evaluate --compare OTHER`: a run, or a file with a translation per line.
class OtherSystem {
 public:
  /// A folder, or a checkpoint in a run's folder, is a run; another file is a text. Throws Error if the path does not
  /// exist, or if the folder is not a run. `policy` and `split_sentences` are the values of --on-bad-line and
  /// --split-sentences.
  OtherSystem(const std::string& named, std::string_view policy, const std::string& split_sentences);

  /// The run's configuration; empty for a text.
  const std::optional<Config>& config() const { return config_; }

  /// Reads the file's lines, cleaned and normalized as `data` demands. Throws Error unless it has a line for each
  /// source. Does nothing for a run.
  void read(const ParallelCorpus& corpus, const DataConfig& data);

  /// Returns the translations of the corpus, normalized as `data` demands. The processes of `job` divide a run's work
  /// among themselves. `options` gives the progress's watch.
  std::vector<std::string> translations(ParallelCorpus corpus, const DataConfig& data, EvaluationOptions options,
                                        const Job& job);

  /// The file's path, or the run's checkpoints and update.
  const std::string& name() const { return name_; }

  /// Reports the lines that the run could not translate. Returns the command's exit status.
  int status(std::size_t lines) const;

 private:
  std::string named_, name_, split_sentences_;
  std::optional<Config> config_;
  std::vector<std::string> lines_;
  BadLines bad_lines_;
  std::int64_t untranslated_ = 0;
};

/// A comparison as lines for a terminal: scores of `run` and the other system, and the p-values.
std::string comparison_table(const PairedBootstrap& found, const std::string& other);

/// A comparison as JSON; docs/translating.md describes it.
std::string comparison_json(const PairedBootstrap& found, const std::string& other);

}  // namespace glossa::commands
