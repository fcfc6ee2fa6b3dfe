#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "train/checkpoint/training_state.h"

namespace glossa {

/// Throws an Error if `checkpoint`, a file in the folder of `run`, is stray: another run wrote it. `state` is its
/// training state, and `belongs` is true for a state that fits the run. A checkpoint is stray if its state does not
/// fit, but the state of another checkpoint in the folder does. The error names the newest checkpoint that fits, and a
/// neighboring run that may have written the stray one. If no checkpoint fits, the run's own files were changed, and
/// the function returns.
void check_is_not_stray(const std::string& run, const std::filesystem::path& checkpoint, const TrainingState& state,
                        const std::function<bool(const TrainingState&)>& belongs);

}  // namespace glossa
