#pragma once

#include <string>

#include "config/config.h"
#include "data/corpora/datasets.h"

namespace glossa {

/// Returns figures of a run's training data as JSON; docs/reports.md describes the format.
std::string corpus_figures(const Config& config, const Tokenizers& tokenizers, const PairStore& training);

}  // namespace glossa
