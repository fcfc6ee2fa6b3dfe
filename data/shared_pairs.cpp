#include "data/shared_pairs.h"

#include <unordered_map>

namespace glossa {

std::vector<std::int64_t> shared_pairs(const ParallelCorpus& corpus, std::span<const ParallelCorpus* const> parts) {
  std::unordered_map<std::uint64_t, bool> is_shared;  // by the hash of a pair of `parts`
  for (const ParallelCorpus* part : parts)
    for (std::size_t i = 0; i < part->source.size(); ++i) is_shared.emplace(part->hash(i), false);
  for (std::size_t i = 0; i < corpus.source.size() && !is_shared.empty(); ++i)
    if (const auto found = is_shared.find(corpus.hash(i)); found != is_shared.end()) found->second = true;
  std::vector<std::int64_t> counts;
  for (const ParallelCorpus* part : parts) {
    counts.push_back(0);
    for (std::size_t i = 0; i < part->source.size(); ++i) counts.back() += is_shared.at(part->hash(i));
  }
  return counts;
}

}  // namespace glossa
