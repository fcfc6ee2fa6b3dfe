#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpora/datasets.h"
#include "decoding/ensemble.h"
#include "train/checkpoint/checkpoint.h"
#include "train/model/model_factory.h"
#include "train/processes/job.h"
#include "train/run_options.h"
#include "train/signals.h"

namespace glossa {

/// Returns the path of a run's effective configuration.
std::filesystem::path config_file(const std::string& run);

/// A run and its checkpoints, as chosen on the command line by RUN and `--checkpoint`. RUN is a run's folder or one of
/// its checkpoints; `--checkpoint` may be empty.
class RunName {
 public:
  /// Throws a misuse error if RUN and --checkpoint both name a checkpoint.
  explicit RunName(const std::string& named, const std::string& choice = {});

  /// False if RUN is a file outside any run.
  bool is_of_run() const { return !is_checkpoint_ || !folder_.empty(); }

  /// Returns the run's folder. Throws if RUN is a file outside any run.
  const std::string& folder() const;

  /// Returns the chosen checkpoint file, or several files to average. If the user chose none, returns the newest
  /// `average` checkpoints or, if `average` is 0, the best one. Throws as chosen_checkpoints does.
  std::vector<std::filesystem::path> files(std::int64_t average = 0) const;

  /// Returns the checkpoint file. Throws a misuse error if several are to be averaged.
  std::filesystem::path file() const;

  /// Returns a note if the user chose no checkpoint, and the last checkpoint is newer than both `best` and the last
  /// validation. Otherwise returns empty text.
  std::string note() const;

 private:
  std::string named_, folder_, choice_;
  bool is_checkpoint_;
};

/// A trained model, ready to translate.
struct LoadedRun {
  Config config;
  Tokenizers tokenizers;
  std::unique_ptr<Model> model;
  TrainingState state;                               // state of the newest checkpoint read
  std::vector<std::filesystem::path> checkpoints{};  // all files read, for all models
  std::vector<std::unique_ptr<Model>> others{};      // further models of an ensemble

  /// Returns the model, or all models of an ensemble.
  Ensemble<float> models() const {
    Ensemble<float> all(*model->transformer);
    for (const std::unique_ptr<Model>& other : others) all.add(*other->transformer);
    return all;
  }
};

/// A new run's folder, created before any slow work so that missing permissions show at once. If the run fails or a
/// signal ends the program, the folder and any parents created for it are removed again.
class NewRunFolder {
 public:
  explicit NewRunFolder(const std::string& run);
  ~NewRunFolder();

  /// Keeps the folder because the run succeeded.
  void keep() { made_.clear(); }

  NewRunFolder(const NewRunFolder&) = delete;
  NewRunFolder& operator=(const NewRunFolder&) = delete;

 private:
  void remove();

  std::vector<std::filesystem::path> made_;  // created folders, innermost first
  WhenInterrupted when_interrupted_{[this] { remove(); }};
};

/// Throws if the job's processes have read different text.
void agree_on_text(std::string_view where, std::span<const ParallelCorpus* const> corpora, const Job& job);

/// Throws a misuse error if the configuration was read from `config_path` and writing the run's effective configuration
/// would change that file.
void check_not_overwriting(const Config& config, const std::string& config_path, const std::string& run);

/// Throws unless the folder `run` contains a run's config.yaml.
void check_is_run(const std::string& run);

/// Throws a misuse error if the folder already holds a run.
void check_holds_no_run(const std::string& run);

/// Throws a misuse error unless training has begun in the folder. A checkpoint is not required.
void check_holds_run(const std::string& run);

/// Loads a run from its folder. With decode.precision int8, the model's matrices are in int8. Throws, naming the file
/// or option, if something is missing or damaged, or if vocabulary, data or model do not match the checkpoint. All
/// processes of `job` load the run together and check that their files are equal. If decode.precision is bf16, they
/// also check that all use the same kind of bf16 products.
LoadedRun load_run(const RunName& name, Config config, const Job& job = Job::alone());

/// As load_run, but ignores decode.precision and loads all parameters in float. Throws a misuse error for a run in
/// int8.
LoadedRun load_run_in_float(const RunName& name, Config config);

/// Writes a run with `model`'s weights, in the state before its first update. The run can translate, be resumed, and
/// serve as train.warm_start. `text` is as in TrainingState. Returns the checkpoint's path. Throws a misuse error if
/// the folder has checkpoints. Overwrites the remains of a failed attempt.
std::filesystem::path write_new_run(const std::string& run, const Config& config, const Tokenizers& tokenizers,
                                    Model& model, std::uint64_t data_hash, const TextStatistics& text = {});

/// Averages the weights of the newest `count` checkpoints of the run `from`, and passes them to write_new_run. Returns
/// the checkpoint's path. Throws if `from` has fewer checkpoints. Throws a misuse error if the folder `run` already
/// holds a run.
std::filesystem::path write_average_run(const std::string& from, std::int64_t count, const std::string& run);

/// Writes a run that can only decode in int8, with `int8.weights` instead of checkpoints (see
/// train/checkpoint/int8_file.h). It translates exactly as the given run does in int8. Returns the file's path. Throws
/// a misuse error as write_average_run does, and if the given run is already in int8.
std::filesystem::path write_int8_run(const RunName& name, const std::string& run);

}  // namespace glossa
