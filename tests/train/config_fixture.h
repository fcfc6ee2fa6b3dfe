#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "decoding/translator.h"
#include "tests/support/restore_runtime.h"
#include "tests/support/temporary_folder.h"
#include "train/checkpoint/checkpoint.h"
#include "train/trainer.h"

namespace glossa::testing {

using Strings = std::vector<std::string>;

/// Writes small corpora in en, hi and de, with upper case, full-width letters and characters that occur once. They are
/// named corpus, other (more words), valid, lower (without upper case), damaged (with invalid UTF-8), long (with a long
/// line) and pairs.tsv.
void write_corpora(const TemporaryFolder& folder);

/// Input to translate: upper case, unknown words, and a line of 21 tokens including </s>.
extern const Strings lines_to_translate;

/// Values for --set that make every option's effect visible. FOLDER stands for the folder of the corpora.
extern const Strings base_sets;

/// Results of training with a configuration.
struct FinishedRun {
  /// Trains in `folder`, after emptying it.
  FinishedRun(const Config& config, const std::filesystem::path& folder);

  /// Names and bytes of the files in a subfolder whose names have this ending.
  std::string files(const std::filesystem::path& part, const std::string& ending = "") const;

  std::filesystem::path folder;
  std::optional<TrainingEnd> end;
  std::string error;  ///< if training failed
  int threads = 0;
  std::string product_library;
  TrainingState state;           ///< of the last checkpoint
  Strings training, validation;  ///< lines of metrics.jsonl without time-dependent values
};

/// A configuration, its run, and other results that are computed when first requested.
class ConfigFixture : RestoreRuntime {
 public:
  ConfigFixture(const Config& given, const std::filesystem::path& folder)
      : config(given), folder(folder), run(given, folder / "run") {}

  const Corpora& corpora();
  const Tokenizers& tokenizers();
  const EncodedCorpus& pairs();
  std::vector<std::vector<int>> batches(int epoch);
  Model& model();
  Translator translator() { return {*model().transformer, tokenizers(), config.data, config.decode}; }

  /// A fresh model after three optimizer steps with given gradients.
  struct Stepped {
    std::unique_ptr<Model> model;
    std::unique_ptr<Optimizer<float>> optimizer;
  };
  const Stepped& stepped();

  const Config config;
  const std::filesystem::path folder;  ///< of the corpora
  const FinishedRun run;               ///< made first, because it sets threads and GEMM backend

 private:
  std::uint64_t seed() const { return static_cast<std::uint64_t>(config.train.seed); }
  std::unique_ptr<Model> fresh_model();

  std::optional<Corpora> corpora_;
  std::optional<Tokenizers> tokenizers_;
  std::optional<EncodedCorpus> pairs_;
  std::unique_ptr<Model> model_;
  std::optional<Stepped> stepped_;
};

}  // namespace glossa::testing
