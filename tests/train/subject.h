#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autograd/kernels/gemm.h"
#include "autograd/parallel.h"
#include "tests/support/temporary_folder.h"
#include "train/decoding/translator.h"
#include "train/trainer.h"

namespace glossa::testing {

using Strings = std::vector<std::string>;

/// Small corpora of words in en, hi and de, with upper case, full-width letters and characters that come once: corpus,
/// other (with more words), valid, lower (no upper case), damaged (not all UTF-8), long (one line is), and pairs.tsv.
void write_corpora(const TemporaryFolder& folder);

/// What is translated: upper case, unknown words, and a line of 21 tokens with </s>.
extern const Strings lines_to_translate;

/// Values for --set: a configuration in which every option can be seen to act. FOLDER stands for that of the corpora.
extern const Strings base_sets;

/// Threads and product library of the process are set back at the end.
class RestoreRuntime {
 public:
  ~RestoreRuntime() {
    set_threads(threads_);
    kernels::set_gemm_backend(backend_);
  }

 private:
  int threads_ = threads();
  kernels::GemmBackend backend_ = kernels::gemm_backend();
};

/// What a run of a configuration left behind.
struct FinishedRun {
  /// Trains in `folder`, which it empties first.
  FinishedRun(const Config& config, const std::filesystem::path& folder);

  /// Names and bytes of the files in a part of the folder whose names end so.
  std::string files(const std::filesystem::path& part, const std::string& ending = "") const;

  std::filesystem::path folder;
  std::optional<TrainingEnd> end;
  std::string error;  ///< where there is no end
  int threads = 0;
  std::string product_library;
  TrainingState state;           ///< of the last checkpoint
  Strings training, validation;  ///< lines of metrics.jsonl without what is a matter of time
};

/// A configuration: a run of it, and what is made of it beside when it is first asked for.
class Subject : RestoreRuntime {
 public:
  Subject(const Config& given, const std::filesystem::path& folder)
      : config(given), folder(folder), run(given, folder / "run") {}

  const Corpora& corpora();
  const Tokenizers& tokenizers();
  const EncodedCorpus& pairs();
  std::vector<std::vector<int>> batches(int epoch);
  Model& model();
  Translator translator() { return {*model().transformer, tokenizers(), config.data, config.decode}; }

  /// A fresh model after three steps of the optimizer with gradients that are given.
  struct Stepped {
    std::unique_ptr<Model> model;
    std::unique_ptr<Optimizer<float>> optimizer;
  };
  const Stepped& stepped();

  const Config config;
  const std::filesystem::path folder;  ///< of the corpora
  const FinishedRun run;               ///< made first of all: it sets threads and product library

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
