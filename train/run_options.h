#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "train/checkpoint/training_state.h"
#include "train/processes/job.h"

namespace glossa {

/// True if the command line may set this option for a trained run: an option of decoding, of the machine, or of reading
/// text.
bool is_of_use(std::string_view key);

/// True if a run's weights depend on the option, and translation needs its value.
bool binds(std::string_view key);

/// Returns a predicate that is true for states trained with `config`. Options for which `binds` is false may differ.
/// `where` names the state in errors.
std::function<bool(const TrainingState&)> trained_with(const Config& config, const std::string& where);

/// Loads the configuration of a run. `settings` override options for which `is_of_use` is true. A positive `beam` then
/// overrides decode.beam, and `precision`, if set, overrides decode.precision. Throws a misuse error if a setting is of
/// another option or has no effect.
Config load_run_config(const std::string& run, const Settings& settings = {}, std::int64_t beam = 0,
                       std::optional<Precision> precision = {});

/// Loads a configuration for training, as load_config does. With train.warm_start, unset options of the model,
/// decoding, languages and vocabulary come from the run that train.warm_start names. On resume, all unset options come
/// from `run` itself; a note names them if `path` is not empty. Throws a misuse error if `run` is an imported
/// pretrained model, which cannot resume. All processes of `job` call this function together; only process 0 reads the
/// runs.
Config load_training_config(const std::string& path, const Settings& settings, const std::string& run, bool resume,
                            const Job& job = Job::alone());

/// Returns `resumed`, the options of a resumed run, with the decode options of its config.yaml, if it exists. These
/// decode options affect only translation. Validation keeps the original decode options, so its scores stay comparable.
/// Decode options in `settings` override the file's, and `notes` gets the changes. Throws if the resulting options
/// contradict each other.
Config with_own_decoding(const std::string& run, Config resumed, const Settings& settings,
                         std::vector<std::string>& notes);

/// Returns process 0's configuration, but with this process's runtime.threads. Throws if another option differs between
/// processes, naming the key and the first process that differs.
Config agreed(const Config& config, const Job& job);

}  // namespace glossa
