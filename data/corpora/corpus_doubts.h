#pragma once

#include <string>
#include <vector>

#include "data/corpora/data_config.h"
#include "data/corpora/datasets.h"

namespace glossa {

/// Returns the first pair of a corpus, shortened. The log shows it, so that users see wrong columns or files.
std::string first_pair(const ParallelCorpus& corpus);

/// Returns a note on files in the folders, archives and patterns of data.train and data.valid that are not read, as
/// they belong to no corpus of the two languages. Empty if there is no such file.
std::string note_on_ignored(const DataConfig& config, const CorpusPlaces& places);

/// Fraction of pairs whose two sides are equal.
double share_of_same_text(const ParallelCorpus& corpus);

/// Returns warnings about the corpora, for example if one side consists of numbers, or if the source has only one
/// letter case without data.lowercase. Also warns if many pairs of data.valid or of `test`, the corpus of data.test,
/// are training pairs.
std::vector<std::string> corpus_doubts(const DataConfig& config, const Corpora& corpora,
                                       const ParallelCorpus* test = nullptr);

/// Returns warnings about corpora that are too small: training text of fewer than 3,000 pairs, unless a model is
/// fine-tuned, and validation text of fewer than 20 pairs, if any. check_start refuses fewer than 10 training pairs.
std::vector<std::string> size_doubts(const DataConfig& config, const Corpora& corpora, bool is_fine_tuned);

}  // namespace glossa
