#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "data/corpora/datasets.h"
#include "train/checkpoint/checkpoint_file.h"

namespace glossa {

/// Opens the checkpoint of train.warm_start, which names a checkpoint or a run. The vocabulary must be of the
/// configured kind, and the model of the same shape. Model options still `auto` take their values from the checkpoint.
/// Adds doubts to `warnings`.
CheckpointReader open_warm_start(Config& config, std::vector<std::string>& warnings);

/// Compares the names and shapes of two models' parameters; if any differ, weights of `base` do not fit `changed`.
/// Returns the key of the first model option, in table order, that causes a difference. Empty if all weights fit, even
/// if options differ: model.heads, for example, may change without changing a shape. Both configurations must have
/// decided all model options. Allocates no matrices.
std::string differently_shaped(const Config& base, const Config& changed);

/// Loads the tokenizers of train.warm_start, because weights only fit their own vocabulary. Empty without
/// train.warm_start.
Tokenizers warm_start_tokenizers(const Config& config);

}  // namespace glossa
