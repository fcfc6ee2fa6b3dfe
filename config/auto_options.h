#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/parallel_corpus.h"

namespace glossa {

/// Size of a training corpus; the rules for `auto` depend on it.
struct CorpusSize {
  std::int64_t pairs = 0;
  std::int64_t alphabet = 0;  ///< number of distinct characters on both sides, without spaces
};

CorpusSize size_of(const ParallelCorpus& corpus);

/// Sets every option still `auto` from the size of the corpus and the other options. The comments of
/// recipes/small-pair.yaml explain the rules.
Config decided_for(const CorpusSize& size, Config config);

/// Sets the `auto` options of `config` from the size of the training text and the applied data.split.
void decide_auto_options(Config& config, const CorpusSize& training, const HeldOut& split);

/// Returns the options that are `auto` in `given`, with their values from `decided`. The log shows them, one line per
/// section, such as `auto model: width 128, heads 4`.
std::vector<std::string> decisions(const Config& given, const Config& decided);

}  // namespace glossa
