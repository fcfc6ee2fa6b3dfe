#include "data/toy/collector.h"

#include <algorithm>
#include <functional>

#include "base/check.h"
#include "base/random.h"

namespace glossa::toy {

void Collector::add(ToyPair pair, const std::string& group) {
  auto& groups = topics_.back().groups;
  auto found = std::ranges::find(groups, group, [](const auto& entry) { return entry.first; });
  if (found == groups.end()) found = groups.insert(found, {group, {}});
  for (const std::string& side : {std::cref(pair.english), std::cref(pair.hindi)}) {
    const auto words = 1 + std::ranges::count(side, ' ');
    if (words < 2 || words > 10) return;
  }
  const std::uint64_t hindi = hash_name(pair.hindi);
  const auto [known, is_new] = known_.try_emplace(hash_name(pair.english), hindi);
  check(known->second == hindi, "toy grammar", "expected one Hindi sentence for '{}'; got '{}' and another",
        pair.english, pair.hindi);
  if (is_new) found->second.push_back(std::move(pair));
}

void Collector::add(const Clauses& clauses, std::string (*group_of)(const Clause&)) {
  for (const Clause& clause : clauses)
    if (well_formed(clause)) add(render(clause), group_of(clause));
}

}  // namespace glossa::toy
