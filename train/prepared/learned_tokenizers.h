#pragma once

#include "data/corpora/datasets.h"

namespace glossa {

/// As train_tokenizers, but announces the learning of subwords, which is slow, and shows its progress.
Tokenizers learn_tokenizers(const DataConfig& config, const ParallelCorpus& corpus);

}  // namespace glossa
