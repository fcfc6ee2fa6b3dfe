#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "train/checkpoint/checkpoint.h"
#include "train/corpora/datasets.h"
#include "train/model/model_factory.h"

namespace glossa {

/// The effective configuration in a run's folder.
std::filesystem::path config_file(const std::string& run);

/// What a user names by RUN, the folder of a run or one of its checkpoints, and by `--checkpoint`, empty where it is
/// not there.
class RunName {
 public:
  /// Throws misuse where both name a checkpoint.
  explicit RunName(const std::string& named, const std::string& choice = {});

  /// The folder of the run. Throws for a file that lies in none.
  const std::string& folder() const;

  /// The checkpoint, or several whose mean it is. Throws as chosen_checkpoints.
  std::vector<std::filesystem::path> files() const;

  /// The checkpoint. Throws misuse where it is the mean of several.
  std::filesystem::path file() const;

  /// What a user who chose none should know of the one that is taken; empty: nothing.
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
  TrainingState state;  // of the newest checkpoint that it was read from
};

/// The folder of a run that is not there yet: made before anything takes long, so that who may not write there learns
/// it first. Where the run comes to nothing the folder goes again, with those above it that were made for it.
class NewRunFolder {
 public:
  explicit NewRunFolder(const std::string& run);
  ~NewRunFolder();

  /// The run has come to something.
  void keep() { made_.clear(); }

  NewRunFolder(const NewRunFolder&) = delete;
  NewRunFolder& operator=(const NewRunFolder&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  // each in the next
};

/// The configuration of process 0, which all processes of the job must have but for what belongs to their host: throws
/// naming the key and the first process that has another value.
Config agreed(const Config& config);

/// Throws where a process of the job has read other text.
void agree_on_text(std::string_view where, std::span<const ParallelCorpus* const> corpora);

/// Prints the note of a name, where there is one, on standard error.
void print_note(const RunName& name);

/// Refuses to write the effective configuration of a run over another one that it was read from.
void check_not_overwriting(const Config& config, const std::string& config_path, const std::string& run);

/// Refuses a folder that holds a run already.
void check_holds_no_run(const std::string& run);

/// Whether a run that is trained takes this option of the command line: what is of decoding, of the machine or of how
/// text is read.
bool is_of_use(std::string_view key);

/// The configuration of a run; `sets` and a `beam` above 0 override options of decoding, runtime and how
/// text is read.
Config load_run_config(const std::string& run, const std::vector<std::string>& sets = {}, std::int64_t beam = 0);

/// A configuration to train with, as load_config reads it. With train.warm_start what it does not give of the model, of
/// decoding, of languages and vocabulary is as in that run, or, where it resumes, as in its own.
Config load_training_config(const std::string& path, const std::vector<std::string>& sets, const std::string& run,
                            bool resume);

/// Loads a run from its folder. Throws naming the file or option if something is missing, damaged or does not belong
/// together: a vocabulary, data or a model that are not the checkpoint's.
LoadedRun load_run(const RunName& name, Config config);

/// Writes a run as `glossa train` does before its first update, with weights of its own: it translates, `--resume`
/// trains it on, and train.warm_start takes it. Returns the checkpoint. Throws misuse for a folder with checkpoints;
/// what a try that failed left may be written over.
std::filesystem::path write_new_run(const std::string& run, const Config& config, const Tokenizers& tokenizers,
                                    Model& model, std::uint64_t data_hash);

}  // namespace glossa
