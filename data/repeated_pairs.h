#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace glossa {

/// Returns for each item whether an earlier one equals it. `hashes` are of the items' contents; `equal(a, b)` compares
/// two items of one hash, and is called by several threads. Takes 4 bytes of memory per item, and 16 for
/// each of a 256th of them per thread.
std::vector<bool> repeats(std::span<const std::uint64_t> hashes,
                          const std::function<bool(std::size_t, std::size_t)>& equal);

}  // namespace glossa
