#pragma once

#include <string>

#include "data/corpora/datasets.h"
#include "train/config/config.h"

namespace glossa {

/// A run before its first update.
struct RunStart {
  const Config& config;
  const Corpora& corpora;
  const Config* base;                    ///< of the run in train.warm_start; null: random weights
  const ParallelCorpus* test = nullptr;  ///< of data.test; null: not read
};

/// Throws a misuse error if a new run seems to make a TrainConfig::Mistake that train.allow does not list.
void check_start(const RunStart& start);

/// True if train.allow lists the mistake.
bool is_allowed(const TrainConfig& config, TrainConfig::Mistake mistake);

/// End of a hint: "--allow few-pairs trains anyway".
std::string remedy_of_allowing(TrainConfig::Mistake mistake);

/// Checks the space for `files` further checkpoints of a run, each of `bytes` bytes, against `free` bytes. Throws if
/// not even one fits. Returns a warning if only some fit, else empty text.
std::string check_disk(const std::string& run, double files, double bytes, double free);

}  // namespace glossa
