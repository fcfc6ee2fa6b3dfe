#pragma once

#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "train/config/config.h"

namespace glossa {

/// The first pair of a corpus, shortened, for the log: it reveals wrong columns or files.
std::string first_pair(const ParallelCorpus& corpus);

/// Share of the pairs whose sides are equal.
double share_of_same_text(const ParallelCorpus& corpus);

/// Returns warnings about training data, such as a side of numbers, or a source in one letter case without
/// data.lowercase.
std::vector<std::string> corpus_doubts(const DataConfig& config, const ParallelCorpus& corpus);

}  // namespace glossa
