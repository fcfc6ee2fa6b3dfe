#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/toy/clauses.h"
#include "data/toy/corpus.h"

/// Sentences of the toy language, by topic.
namespace glossa::toy {

struct Group {
  std::string name;
  std::vector<ToyPair> pairs;

  std::size_t size() const { return pairs.size(); }
};

/// All sentences of one pattern, in a fixed order. They are grouped by the main verb or adjective, and by the gender
/// with which this word agrees.
struct Topic {
  std::string name;
  std::vector<Group> groups;

  std::size_t size() const {
    std::size_t sum = 0;
    for (const Group& group : groups) sum += group.size();
    return sum;
  }
};

/// Name of a clause's group.
using Grouping = std::string (*)(const Clause&);
std::string by_verb(const Clause& clause);

/// Collector of topics. It ensures that every English sentence occurs only once, with a single Hindi sentence.
class Collector {
 public:
  Collector() { known_.reserve(400'000); }  // full size, to avoid fifteen rehashes

  /// Starts a topic, and adds clauses to it.
  void topic(const std::string& name, const Clauses& clauses = {}, Grouping group_of = by_verb);

  /// Adds the clauses that are well formed to the last topic.
  void add(const Clauses& clauses, Grouping group_of = by_verb);

  /// Adds a pair to a group of the last topic, unless the pair is known or a side has fewer than 2 or more than 10
  /// words. Throws if the English sentence is known with a different Hindi sentence.
  void add(const std::string& group, ToyPair pair);

  std::vector<Topic> take() { return std::move(topics_); }

 private:
  std::vector<Topic> topics_;
  std::unordered_map<std::uint64_t, std::uint64_t> known_;  ///< hashes: English sentence to Hindi sentence
};

/// Every sentence of the language.
std::vector<Topic> toy_language();

}  // namespace glossa::toy
