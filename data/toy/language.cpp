#include <algorithm>
#include <functional>

#include "base/check.h"
#include "base/random.h"
#include "data/toy/topics.h"

namespace glossa::toy {

void Collector::topic(const std::string& name) {
  topics_.push_back({name, {}});
  group("");
}

void Collector::group(const std::string& name) {
  auto& groups = topics_.back().groups;
  auto found = std::ranges::find(groups, name, [](const auto& group) { return group.first; });
  if (found == groups.end()) found = groups.insert(found, {name, {}});
  group_ = &found->second;
}

void Collector::add(ToyPair pair) {
  for (const std::string& side : {std::cref(pair.english), std::cref(pair.hindi)}) {
    const auto words = 1 + std::ranges::count(side, ' ');
    if (words < 2 || words > 10) return;
  }
  const std::uint64_t hindi = hash_name(pair.hindi);
  const auto [known, is_new] = known_.try_emplace(hash_name(pair.english), hindi);
  check(known->second == hindi, "toy grammar", "expected one Hindi sentence for '{}'; got '{}' and another",
        pair.english, pair.hindi);
  if (is_new) group_->push_back(std::move(pair));
}

void Collector::add(const Clause& clause) {
  if (well_formed(clause)) add(render(clause));
}

std::vector<Topic> toy_language() {
  Collector collector;
  add_greetings(collector);
  add_states(collector);
  add_having(collector);
  add_dealings(collector);
  add_actions(collector);
  return collector.take();
}

}  // namespace glossa::toy
