#pragma once

#include <string>
#include <vector>

#include "data/corpora/datasets.h"
#include "train/checkpoint/checkpoint_file.h"
#include "train/config/config.h"

namespace glossa {

/// Opens the checkpoint that train.warm_start names, or the checkpoint of the run that it names. The vocabulary must be
/// of the configured kind, and the model of the same shape. Takes undecided model options from the checkpoint and adds
/// doubts to `warnings`.
CheckpointReader open_warm_start(Config& config, std::vector<std::string>& warnings);

/// Loads the tokenizers of train.warm_start, as weights only fit their own vocabulary. Empty without train.warm_start.
Tokenizers warm_start_tokenizers(const Config& config);

}  // namespace glossa
