#include "data/pair_hashes.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"

namespace glossa {

namespace {

/// Compares items with equal hashes, in order. Adds those that equal an earlier item to `repeated`.
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

std::vector<std::size_t> pair_sample(std::span<const std::uint64_t> hashes, std::size_t count) {
  if (hashes.size() <= count) {
    std::vector<std::size_t> all(hashes.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  std::vector<std::uint64_t> sorted(hashes.begin(), hashes.end());
  const auto limit = sorted.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::nth_element(sorted, limit);
  // Hashes equal to the limit are chosen only while there is room.
  const std::uint64_t last = *limit;
  auto room = static_cast<std::size_t>(std::count(sorted.begin(), limit, last));
  std::vector<std::size_t> chosen;
  for (std::size_t pair = 0; pair < hashes.size(); ++pair)
    if (hashes[pair] < last || (hashes[pair] == last && room > 0 && room-- > 0)) chosen.push_back(pair);
  return chosen;
}

std::vector<bool> repeats(std::span<const std::uint64_t> hashes,
                          const std::function<bool(std::size_t, std::size_t)>& equal) {
  // Hashes with the same first byte form a bucket. Each thread sorts one bucket at a time.
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

std::vector<std::int64_t> shared_pairs(std::span<const std::uint64_t> hashes,
                                       std::span<const ParallelCorpus* const> parts) {
  std::unordered_map<std::uint64_t, bool> is_shared;  // keys: hashes of the pairs of `parts`
  for (const ParallelCorpus* part : parts)
    for (std::size_t i = 0; i < part->source.size(); ++i) is_shared.emplace(part->hash(i), false);
  // Most hashes are not in `is_shared`. This table of bits excludes most of them without locking the mutex.
  std::vector<bool> may_be(std::size_t{1} << 20);
  for (const auto& known : is_shared) may_be[known.first % may_be.size()] = true;
  std::mutex mutex;
  parallel_ranges(std::ssize(hashes), 1 << 20, [&](Index begin, Index end) {
    for (const std::uint64_t hash :
         hashes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))) {
      if (!may_be[hash % may_be.size()]) continue;
      const std::lock_guard lock(mutex);
      if (const auto found = is_shared.find(hash); found != is_shared.end()) found->second = true;
    }
  });
  std::vector<std::int64_t> counts;
  for (const ParallelCorpus* part : parts) {
    counts.push_back(0);
    for (std::size_t i = 0; i < part->source.size(); ++i) counts.back() += is_shared.at(part->hash(i));
  }
  return counts;
}

}  // namespace glossa
