#include "data/repeated_pairs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/parallel.h"

namespace glossa {

namespace {

/// Items of equal hash, in their order. Adds those that equal an earlier one to `repeated`.
void compare(std::span<const std::pair<std::uint64_t, std::uint32_t>> items,
             const std::function<bool(std::size_t, std::size_t)>& equal, std::vector<std::uint32_t>& repeated) {
  std::vector<std::uint32_t> different;
  for (const auto& entry : items) {
    const std::uint32_t item = entry.second;
    const bool is_repeated = std::ranges::any_of(different, [&](std::uint32_t other) { return equal(other, item); });
    (is_repeated ? repeated : different).push_back(item);
  }
}

}  // namespace

std::vector<bool> repeats(std::span<const std::uint64_t> hashes,
                          const std::function<bool(std::size_t, std::size_t)>& equal) {
  // Buckets of hashes with the same first byte are sorted one at a time, by each thread.
  constexpr std::size_t buckets = 256;
  const auto bucket_of = [&](std::size_t item) { return hashes[item] >> 56; };
  std::array<std::size_t, buckets + 1> begin{};
  for (std::size_t item = 0; item < hashes.size(); ++item) ++begin[bucket_of(item) + 1];
  for (std::size_t b = 0; b < buckets; ++b) begin[b + 1] += begin[b];
  std::vector<std::uint32_t> items(hashes.size());
  std::array<std::size_t, buckets + 1> next = begin;
  for (std::size_t item = 0; item < hashes.size(); ++item)
    items[next[bucket_of(item)]++] = static_cast<std::uint32_t>(item);

  std::array<std::vector<std::uint32_t>, buckets> repeated;
  parallel_for(buckets, [&](Index b) {
    const auto bucket = static_cast<std::size_t>(b);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted;
    for (std::size_t k = begin[bucket]; k < begin[bucket + 1]; ++k) sorted.emplace_back(hashes[items[k]], items[k]);
    std::ranges::sort(sorted);
    for (std::size_t first = 0, last = 0; first < sorted.size(); first = last) {
      while (last < sorted.size() && sorted[last].first == sorted[first].first) ++last;
      if (last - first > 1) compare(std::span(sorted).subspan(first, last - first), equal, repeated[bucket]);
    }
  });
  std::vector<bool> result(hashes.size());
  for (const std::vector<std::uint32_t>& found : repeated)
    for (const std::uint32_t item : found) result[item] = true;
  return result;
}

}  // namespace glossa
