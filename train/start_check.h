#pragma once

#include "train/config/config.h"
#include "train/corpora/datasets.h"

namespace glossa {

/// A run before its first update.
struct RunStart {
  const Config& config;
  const Corpora& corpora;
  const Config* base;  ///< of the run in train.warm_start; null: random weights
};

/// Throws a misuse error if a new run seems to make a TrainConfig::Mistake that train.allow does not list.
void check_start(const RunStart& start);

}  // namespace glossa
