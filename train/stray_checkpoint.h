#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "train/checkpoint/training_state.h"

namespace glossa {

/// Throws an Error if a checkpoint in a run's folder is stray, that is, came from another run. It is stray if `belongs`
/// is false for its `state` but true for the state of another checkpoint in the folder. The error names the newest
/// checkpoint that belongs to the run, and a neighboring run that may have written the stray one. If no checkpoint
/// belongs, the run's own files have changed, and the function returns.
void check_is_not_stray(const std::string& run, const std::filesystem::path& checkpoint, const TrainingState& state,
                        const std::function<bool(const TrainingState&)>& belongs);

}  // namespace glossa
