#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/parallel_corpus.h"

namespace glossa {

/// Returns, for each of `parts`, the number of its pairs that equal a pair of `corpus` on both sides. Compares hashes,
/// and reads `corpus` once.
std::vector<std::int64_t> shared_pairs(const ParallelCorpus& corpus, std::span<const ParallelCorpus* const> parts);

}  // namespace glossa
