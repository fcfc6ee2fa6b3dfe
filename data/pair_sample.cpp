#include "data/pair_sample.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>

namespace glossa {

std::vector<std::size_t> pair_sample(const ParallelCorpus& corpus, std::size_t count) {
  std::vector<std::size_t> chosen(corpus.source.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (chosen.size() <= count) return chosen;
  const std::vector<std::uint64_t> hashes = hashes_of(corpus);
  const auto limit = chosen.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::nth_element(
      chosen, limit, [&](std::size_t a, std::size_t b) { return std::tie(hashes[a], a) < std::tie(hashes[b], b); });
  chosen.erase(limit, chosen.end());
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace glossa
