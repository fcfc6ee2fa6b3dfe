#pragma once

#include <string>
#include <vector>

#include "data/corpora/data_config.h"
#include "data/corpora/datasets.h"

namespace glossa {

/// Returns the first pair of a corpus, shortened, for the log. The pair reveals wrong columns or files.
std::string first_pair(const ParallelCorpus& corpus);

/// Returns a note on unread files in the folders, archives and patterns of data.train and data.valid: files that belong
/// to no corpus of the two languages. Empty if there is no such file.
std::string note_on_ignored(const DataConfig& config, const CorpusPlaces& places);

/// Fraction of pairs with equal sides.
double share_of_same_text(const ParallelCorpus& corpus);

/// Returns warnings about the corpora, for example if one side consists of numbers, or if the source has only one
/// letter case without data.lowercase. Also warns if data.valid or `test`, the corpus of data.test, shares many pairs
/// with training.
std::vector<std::string> corpus_doubts(const DataConfig& config, const Corpora& corpora,
                                       const ParallelCorpus* test = nullptr);

/// Returns warnings about corpora that are too small. Training text should have at least 3,000 pairs, except in
/// fine-tuning; validation text, if any, at least 20 pairs. check_start refuses fewer than 10 training pairs.
std::vector<std::string> size_doubts(const DataConfig& config, const Corpora& corpora, bool is_fine_tuned);

}  // namespace glossa
