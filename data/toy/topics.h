#pragma once

#include <string>
#include <vector>

#include "data/toy/corpus.h"

/// Sentences of the toy language, by topic.
namespace glossa::toy {

struct Group {
  std::string name;
  std::vector<ToyPair> pairs;
};

/// All sentences of one pattern, in a fixed order, grouped by the main verb or adjective, and by the gender with which
/// this word agrees.
struct Topic {
  std::string name;
  std::vector<Group> groups;
};

/// Every sentence of the language.
std::vector<Topic> toy_language();

}  // namespace glossa::toy
