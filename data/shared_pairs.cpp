#include "data/shared_pairs.h"

#include <cstddef>
#include <mutex>
#include <unordered_map>

#include "base/parallel.h"

namespace glossa {

std::vector<std::int64_t> shared_pairs(std::span<const std::uint64_t> hashes,
                                       std::span<const ParallelCorpus* const> parts) {
  std::unordered_map<std::uint64_t, bool> is_shared;  // by the hash of a pair of `parts`
  for (const ParallelCorpus* part : parts)
    for (std::size_t i = 0; i < part->source.size(); ++i) is_shared.emplace(part->hash(i), false);
  // Most hashes are none of them, as a bit of this table shows.
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
