#include <algorithm>
#include <functional>

#include "base/check.h"
#include "base/random.h"
#include "data/toy/topics.h"

namespace glossa::toy {

std::string by_verb(const Clause& clause) { return clause.verb->english[0]; }

void Collector::topic(const std::string& name, const Clauses& clauses, Grouping group_of) {
  topics_.push_back({name, {}});
  add(clauses, group_of);
}

void Collector::add(const Clauses& clauses, Grouping group_of) {
  for (const Clause& clause : clauses)
    if (well_formed(clause)) add(group_of(clause), render(clause));
}

void Collector::add(const std::string& group, ToyPair pair) {
  auto& groups = topics_.back().groups;
  auto found = std::ranges::find(groups, group, &Group::name);
  if (found == groups.end()) found = groups.insert(found, {group, {}});
  for (const std::string& side : {std::cref(pair.english), std::cref(pair.hindi)}) {
    const auto words = 1 + std::ranges::count(side, ' ');
    if (words < 2 || words > 10) return;
  }
  const std::uint64_t hindi = hash_name(pair.hindi);
  const auto [known, is_new] = known_.try_emplace(hash_name(pair.english), hindi);
  check(known->second == hindi, "toy grammar", "expected one Hindi sentence for '{}'; got '{}' and another",
        pair.english, pair.hindi);
  if (is_new) found->pairs.push_back(std::move(pair));
}

}  // namespace glossa::toy
