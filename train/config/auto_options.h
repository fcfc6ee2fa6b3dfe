#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "train/config/config.h"

namespace glossa {

/// The size of a training corpus, as the rules of `auto` see it.
struct CorpusSize {
  std::int64_t pairs = 0;
  std::int64_t alphabet = 0;  ///< different characters of both sides, spaces left out
};

CorpusSize size_of(const ParallelCorpus& corpus);

/// Decides every option that is still `auto` by the size of the corpus and the options that are given. The rules are in
/// the comments of recipes/small-pair.yaml too.
Config decided_for(const CorpusSize& size, Config config);

/// The same for the training text that was read, and data.split as it came out. Returns what was decided for the log, a
/// line a section.
std::vector<std::string> decide_auto_options(Config& config, const ParallelCorpus& training, const HeldOut& split);

}  // namespace glossa
