#pragma once

#include <string>
#include <vector>

#include "train/config/config.h"
#include "train/corpora/datasets.h"

namespace glossa {

/// The first pair of a corpus, shortened, for the log: it reveals wrong columns or files.
std::string first_pair(const ParallelCorpus& corpus);

/// Share of the pairs whose sides are equal.
double share_of_same_text(const ParallelCorpus& corpus);

/// Returns warnings about the corpora, such as a side of numbers, a source in one letter case without data.lowercase,
/// or training text among the watched corpora or as data.test. check_start (start_check.h) checks the validation
/// corpus.
std::vector<std::string> corpus_doubts(const DataConfig& config, const Corpora& corpora);

}  // namespace glossa
