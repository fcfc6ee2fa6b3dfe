#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/parallel_corpus.h"

namespace glossa {

/// Returns the indices of at most `count` pairs, ascending: those with the smallest content hashes (hashes_of). So the
/// choice depends neither on the order of the corpus nor on the machine; of equal pairs at the limit, the first are
/// chosen.
std::vector<std::size_t> pair_sample(std::span<const std::uint64_t> hashes, std::size_t count);

/// Returns for each item whether an earlier one equals it. `hashes` are of the items' contents; `equal(a, b)` compares
/// two items of one hash, and is called by several threads. Takes 4 bytes of memory per item, and 16 for
/// each of a 256th of them per thread.
std::vector<bool> repeats(std::span<const std::uint64_t> hashes,
                          const std::function<bool(std::size_t, std::size_t)>& equal);

/// Returns, for each of `parts`, the number of its pairs whose content hash (hashes_of) is one of `hashes`, which it
/// reads once.
std::vector<std::int64_t> shared_pairs(std::span<const std::uint64_t> hashes,
                                       std::span<const ParallelCorpus* const> parts);

}  // namespace glossa
