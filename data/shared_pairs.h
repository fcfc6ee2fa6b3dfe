#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/parallel_corpus.h"

namespace glossa {

/// Returns, for each of `parts`, the number of its pairs whose content hash (hashes_of) is one of `hashes`, which it
/// reads once.
std::vector<std::int64_t> shared_pairs(std::span<const std::uint64_t> hashes,
                                       std::span<const ParallelCorpus* const> parts);

}  // namespace glossa
