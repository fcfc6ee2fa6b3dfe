#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/toy/clauses.h"
#include "data/toy/topics.h"

namespace glossa::toy {

/// Collector of topics. It ensures that every English sentence occurs once, with one Hindi sentence.
class Collector {
 public:
  Collector() { known_.reserve(400'000); }  // full size, to avoid fifteen rehashes

  /// Starts a topic; later additions belong to it.
  void topic(const std::string& name) { topics_.push_back({name, {}}); }

  /// Adds a pair to a group of the topic, unless the pair is known or a side has fewer than 2 or more than 10 words.
  /// Throws if the English sentence is known with a different Hindi sentence.
  void add(ToyPair pair, const std::string& group = "");

  /// Adds the clauses that are well formed, each to the group that `group_of` returns.
  void add(const Clauses& clauses, std::string (*group_of)(const Clause&));

  std::vector<Topic> take() { return std::move(topics_); }

 private:
  std::vector<Topic> topics_;
  std::unordered_map<std::uint64_t, std::uint64_t> known_;  ///< from an English sentence's hash to its Hindi hash
};

}  // namespace glossa::toy
