#pragma once

#include <string>
#include <vector>

#include "data/corpora/datasets.h"
#include "train/checkpoint/checkpoint_file.h"
#include "train/config/config.h"

namespace glossa {

/// Opens the checkpoint that train.warm_start names, or the checkpoint of the run that it names. The vocabulary must be
/// of the configured kind, and the model of the same shape. Takes undecided model options from the checkpoint. Adds
/// doubts to `warnings`.
CheckpointReader open_warm_start(Config& config, std::vector<std::string>& warnings);

/// Compares two models by the names and shapes of their parameters. If these differ, weights of `base` do not fit
/// `changed`. Returns the key of the first model option, in table order, that causes a difference; empty if all weights
/// fit. For example, model.heads changes no shape if heads have width / heads features. Both configurations must have
/// decided all model options. Allocates no matrices.
std::string differently_shaped(const Config& base, const Config& changed);

/// Loads the tokenizers of train.warm_start, because weights only fit their own vocabulary. Empty without
/// train.warm_start.
Tokenizers warm_start_tokenizers(const Config& config);

}  // namespace glossa
