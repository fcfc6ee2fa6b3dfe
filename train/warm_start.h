#pragma once

#include <string>
#include <vector>

#include "train/checkpoint/checkpoint_file.h"
#include "train/config/config.h"

namespace glossa {

/// Opens the checkpoint that train.warm_start names, or the checkpoint of the run that it names. The vocabulary must be
/// of the configured kind, and the model of the same shape. Takes undecided model options from the checkpoint and adds
/// doubts to `warnings`.
CheckpointReader open_warm_start(Config& config, std::vector<std::string>& warnings);

}  // namespace glossa
