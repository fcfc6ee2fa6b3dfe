#pragma once

#include <string>

#include "config/config.h"
#include "data/corpora/datasets.h"

namespace glossa {

/// A run before its first update.
struct RunStart {
  const Config& config;
  const Corpora& corpora;
  const Config* base;                    ///< configuration of the run in train.warm_start; null: random weights
  const ParallelCorpus* test = nullptr;  ///< corpus of data.test; null: not read
};

/// Throws a misuse error if a new run seems to make a TrainConfig::Mistake that train.allow does not list.
void check_start(const RunStart& start);

/// Throws a misuse error if the pairs of `text` fit the model of train.warm_start far better with their sides swapped.
/// Does nothing if train.allow of `config` lists swapped-sides. `base` is the model's configuration. Checks only if the
/// model translates the languages of `config` or does not name its languages. Examines a few short pairs.
void check_direction(const Config& base, const Config& config, const ParallelCorpus& text);

/// Checks that `free` bytes suffice for `files` more checkpoints of a run, each of `bytes` bytes. Throws if not even
/// one fits. Returns a warning if only some fit, else empty text.
std::string check_disk(const std::string& run, double files, double bytes, double free);

}  // namespace glossa
