#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "data/parallel_corpus.h"

namespace glossa {

/// A sample of a corpus's pairs, evenly spread. Refers to the corpus.
struct PairSample {
  std::vector<std::string_view> source, target;
};

/// Returns a sample of at most 2000 pairs of a corpus, or of one of the corpora that were joined to it.
PairSample sample_pairs(const ParallelCorpus& corpus, std::optional<std::uint32_t> part = {});

/// True if most pairs of `other` seem to have their sides swapped, compared with `corpus`. Compares the frequencies of
/// character trigrams on each side, which requires no knowledge of the languages. In doubt, returns false: for fewer
/// than 30 pairs, and if the sides of `corpus` look alike or each side has both languages.
bool sides_exchanged(const PairSample& corpus, const PairSample& other);

}  // namespace glossa
