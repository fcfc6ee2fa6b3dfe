#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "train/checkpoint/checkpoint.h"
#include "train/corpora/datasets.h"
#include "train/model/model_factory.h"

namespace glossa {

/// A run's effective configuration.
std::filesystem::path config_file(const std::string& run);

/// A user's RUN, the folder of a run or one of its checkpoints, and `--checkpoint`, empty if not given.
class RunName {
 public:
  /// Throws misuse if both name a checkpoint.
  explicit RunName(const std::string& named, const std::string& choice = {});

  /// The folder of the run. Throws if a file is not in a run.
  const std::string& folder() const;

  /// The checkpoint, or several to average. Throws as chosen_checkpoints.
  std::vector<std::filesystem::path> files() const;

  /// The checkpoint. Throws misuse if it is an average of several.
  std::filesystem::path file() const;

  /// Note about the checkpoint for a user who chose none; may be empty.
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
  TrainingState state;  // of the newest checkpoint read
};

/// A new run's folder, created before any slow work so that missing permissions show at once. If the run fails, it is
/// removed again, along with any parents created for it.
class NewRunFolder {
 public:
  explicit NewRunFolder(const std::string& run);
  ~NewRunFolder();

  /// Keeps a successful run.
  void keep() { made_.clear(); }

  NewRunFolder(const NewRunFolder&) = delete;
  NewRunFolder& operator=(const NewRunFolder&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  // innermost first
};

/// Process 0's configuration, which all processes of the job must share except for host-specific options; otherwise
/// throws naming the key and the first process that differs.
Config agreed(const Config& config);

/// Throws if a process of the job has read different text.
void agree_on_text(std::string_view where, std::span<const ParallelCorpus* const> corpora);

/// Prints the note of a name, if any, on standard error.
void print_note(const RunName& name);

/// Refuses to overwrite a run's effective configuration that was the input.
void check_not_overwriting(const Config& config, const std::string& config_path, const std::string& run);

/// Refuses a folder that already holds a run.
void check_holds_no_run(const std::string& run);

/// True if a trained run accepts this option on the command line: options of decoding, the machine or reading text.
bool is_of_use(std::string_view key);

/// Loads the configuration of a run; `sets` and a `beam` above 0 override options of decoding, runtime and reading
/// text.
Config load_run_config(const std::string& run, const std::vector<std::string>& sets = {}, std::int64_t beam = 0);

/// Loads a configuration for training, as load_config. With train.warm_start, missing options of the model, decoding,
/// languages and vocabulary come from that run, or on resume from its own.
Config load_training_config(const std::string& path, const std::vector<std::string>& sets, const std::string& run,
                            bool resume);

/// Loads a run from its folder. Throws naming the file or option if something is missing, damaged or mismatched: a
/// vocabulary, data or a model that are not the checkpoint's.
LoadedRun load_run(const RunName& name, Config config);

/// Writes a run as `glossa train` does before its first update, with new weights: it translates, `--resume` trains it,
/// and train.warm_start accepts it. Returns the checkpoint. Throws misuse for a folder with checkpoints; remains of a
/// failed attempt may be overwritten.
std::filesystem::path write_new_run(const std::string& run, const Config& config, const Tokenizers& tokenizers,
                                    Model& model, std::uint64_t data_hash);

}  // namespace glossa
