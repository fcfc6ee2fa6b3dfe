#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "train/checkpoint/training_state.h"

namespace glossa {

/// Throws an Error if a checkpoint in a run's folder came from another run: `belongs` is false for its state, but true
/// for that of another checkpoint there. The error names the newest such checkpoint, and a run beside this one from
/// which the stray one may be. If no checkpoint belongs, returns: then the run's own files have changed.
void check_is_not_stray(const std::string& run, const std::filesystem::path& checkpoint, const TrainingState& state,
                        const std::function<bool(const TrainingState&)>& belongs);

}  // namespace glossa
