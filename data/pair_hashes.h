#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/parallel_corpus.h"

namespace glossa {

/// Returns the indices of at most `count` pairs, ascending: the pairs with the smallest content hashes (hashes_of). The
/// choice depends neither on the order of the corpus nor on the machine. Of equal pairs at the limit, the first are
/// chosen.
std::vector<std::size_t> pair_sample(std::span<const std::uint64_t> hashes, std::size_t count);

/// Returns true for each item that equals an earlier item. `hashes` are the items' content hashes. `equal(a, b)`
/// compares two items with the same hash; several threads may call it at once. Memory: 4 bytes per item, and for each
/// thread 16 bytes per item of one bucket (1/256 of the items).
std::vector<bool> repeats(std::span<const std::uint64_t> hashes,
                          const std::function<bool(std::size_t, std::size_t)>& equal);

/// For each of `parts`, returns the number of its pairs with a content hash (hashes_of) in `hashes`. Reads `hashes`
/// once.
std::vector<std::int64_t> shared_pairs(std::span<const std::uint64_t> hashes,
                                       std::span<const ParallelCorpus* const> parts);

}  // namespace glossa
