#include "data/pair_sample.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace glossa {

std::vector<std::size_t> pair_sample(std::span<const std::uint64_t> hashes, std::size_t count) {
  if (hashes.size() <= count) {
    std::vector<std::size_t> all(hashes.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  std::vector<std::uint64_t> sorted(hashes.begin(), hashes.end());
  const auto limit = sorted.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::nth_element(sorted, limit);
  // Of the hashes that equal the limit, as many as there is room for.
  const std::uint64_t last = *limit;
  auto room = static_cast<std::size_t>(std::count(sorted.begin(), limit, last));
  std::vector<std::size_t> chosen;
  for (std::size_t pair = 0; pair < hashes.size(); ++pair)
    if (hashes[pair] < last || (hashes[pair] == last && room > 0 && room-- > 0)) chosen.push_back(pair);
  return chosen;
}

}  // namespace glossa
