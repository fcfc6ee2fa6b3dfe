#pragma once

#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "train/config/config.h"

namespace glossa {

/// The first pair of a corpus, shortened, for the log, where wrong columns or files show.
std::string first_pair(const ParallelCorpus& corpus);

/// Doubts about training data: a side of numbers, a source in one letter case without data.lowercase.
std::vector<std::string> corpus_doubts(const DataConfig& config, const ParallelCorpus& corpus);

}  // namespace glossa
