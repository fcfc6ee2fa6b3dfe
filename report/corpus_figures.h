#pragma once

#include <string>

#include "data/corpora/datasets.h"
#include "train/config/config.h"

namespace glossa {

/// Returns figures of a run's training data as JSON; docs/reports.md describes the format.
std::string corpus_figures(const Config& config, const Tokenizers& tokenizers, const PairStore& training);

}  // namespace glossa
