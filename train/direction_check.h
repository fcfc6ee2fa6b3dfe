#pragma once

#include "train/run.h"

namespace glossa {

/// Throws a misuse error if the pairs of `text` fit a trained model far better with their sides exchanged, unless
/// train.allow of `config` lists swapped-sides. The model translates the languages of `config`, or its own languages
/// are unknown; for other models, there is no check. Examines a few short pairs.
void check_direction(const LoadedRun& base, const Config& config, const ParallelCorpus& text);

}  // namespace glossa
