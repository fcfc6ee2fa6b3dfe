#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/toy/corpus.h"

/// Sentences of the toy language, by topic.
namespace glossa::toy {

/// All sentences of one pattern, in a fixed order, grouped by the main verb or adjective, and by the gender with which
/// this word agrees. Every English sentence occurs in one topic, with one Hindi sentence.
struct Topic {
  std::string name;
  std::vector<std::pair<std::string, std::vector<ToyPair>>> groups;
};

/// Every sentence of the language.
std::vector<Topic> toy_language();

}  // namespace glossa::toy
