#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "train/config/config.h"

namespace glossa {

/// Size of a training corpus, as needed by the rules of `auto`.
struct CorpusSize {
  std::int64_t pairs = 0;
  std::int64_t alphabet = 0;  ///< different characters of both sides, without spaces
};

CorpusSize size_of(const ParallelCorpus& corpus);

/// Decides every option still `auto` by the size of the corpus and the given options. The rules are also in the
/// comments of recipes/small-pair.yaml.
Config decided_for(const CorpusSize& size, Config config);

/// Decides for the training text and the actual data.split. Returns the decisions for the log, one line per section.
std::vector<std::string> decide_auto_options(Config& config, const ParallelCorpus& training, const HeldOut& split);

}  // namespace glossa
