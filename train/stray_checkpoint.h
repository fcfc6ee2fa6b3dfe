#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "train/checkpoint/training_state.h"

namespace glossa {

/// Throws an Error if a checkpoint in a run's folder came from another run. It does if `belongs` is false for its
/// state, but true for that of another checkpoint there. The error names the newest checkpoint that belongs. It also
/// names a run beside this one that the stray checkpoint may come from. If no checkpoint belongs, the run's own files
/// have changed, and the function returns.
void check_is_not_stray(const std::string& run, const std::filesystem::path& checkpoint, const TrainingState& state,
                        const std::function<bool(const TrainingState&)>& belongs);

}  // namespace glossa
