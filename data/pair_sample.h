#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glossa {

/// Returns the indices of at most `count` pairs, ascending: those with the smallest content hashes (hashes_of). So the
/// choice depends neither on the order of the corpus nor on the machine; of equal pairs at the limit, the first are
/// chosen.
std::vector<std::size_t> pair_sample(std::span<const std::uint64_t> hashes, std::size_t count);

}  // namespace glossa
