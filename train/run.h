#pragma once

#include <filesystem>
#include <string>

#include "train/checkpoint.h"
#include "train/datasets.h"
#include "train/model_factory.h"

namespace glossa {

/// The effective configuration in a run's folder.
std::filesystem::path config_file(const std::string& run);

/// A trained model, ready to translate.
struct LoadedRun {
  Config config;
  Tokenizers tokenizers;
  std::unique_ptr<Model> model;
  TrainingState state;
};

/// Refuses to write the effective configuration of a run over another one that it was read from.
void check_not_overwriting(const Config& config, const std::string& config_path, const std::string& run);

/// The configuration of a run; `sets` and a `beam` above 0 override options of decoding and runtime.
Config load_run_config(const std::string& run, const std::vector<std::string>& sets = {}, std::int64_t beam = 0);

/// Loads a run from its folder: the best checkpoint, or the last if none is best. Throws naming the file or option if
/// something is missing, damaged or does not belong together: a vocabulary, data or a model that are not the
/// checkpoint's.
LoadedRun load_run(const std::string& run, Config config);

}  // namespace glossa
