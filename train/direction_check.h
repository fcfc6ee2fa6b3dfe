#pragma once

#include "train/run.h"

namespace glossa {

/// Throws a misuse error if the pairs of `text` fit the model of train.warm_start far better with their sides
/// exchanged, unless train.allow of `config` lists swapped-sides. `base` is the model's configuration: it translates
/// the languages of `config`, or does not name its own; for other models, there is no check. Examines a few short
/// pairs.
void check_direction(const Config& base, const Config& config, const ParallelCorpus& text);

}  // namespace glossa
