#pragma once

#include <cstddef>
#include <vector>

#include "data/parallel_corpus.h"

namespace glossa {

/// Returns the indices of at most `count` pairs, ascending: those with the smallest hashes of both sides. So the choice
/// depends neither on the order of the corpus nor on the machine; of equal pairs at the limit, the first are chosen.
std::vector<std::size_t> pair_sample(const ParallelCorpus& corpus, std::size_t count);

}  // namespace glossa
