#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/toy/clauses.h"

/// Sentences of the toy language, by topic.
namespace glossa::toy {

/// All sentences of one pattern, in a fixed order, grouped by the main verb or adjective, and by the gender with which
/// this word agrees.
struct Topic {
  std::string name;
  std::vector<std::pair<std::string, std::vector<ToyPair>>> groups;
};

/// Collector of topics. It ensures that every English sentence occurs once, with one Hindi sentence.
class Collector {
 public:
  Collector() { known_.reserve(400'000); }  // full size, to avoid fifteen rehashes

  /// Starts a topic; later additions belong to it.
  void topic(const std::string& name);

  /// Selects a group of the topic, or creates it; later additions belong to this group.
  void group(const std::string& name);

  /// Adds a pair, unless the pair is known or a side has fewer than 2 or more than 10 words. Throws if the English
  /// sentence is known with a different Hindi sentence.
  void add(ToyPair pair);

  /// Adds the clause if it is well formed.
  void add(const Clause& clause);

  std::vector<Topic> take() { return std::move(topics_); }

 private:
  std::vector<Topic> topics_;
  std::vector<ToyPair>* group_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint64_t> known_;  ///< from an English sentence's hash to its Hindi hash
};

/// Every sentence of the language.
std::vector<Topic> toy_language();

/// Actions: verbs with their objects, tenses, questions, adjuncts.
void add_actions(Collector& collector);

/// Dealings with people: give to, talk to, go with, buy for; requests.
void add_dealings(Collector& collector);

/// Being: qualities, identity, places, existence.
void add_states(Collector& collector);

/// Having, wanting and liking: the Hindi subject differs from the English subject.
void add_having(Collector& collector);

/// Greetings, alone or before a question.
void add_greetings(Collector& collector);

// People and things of the topics.

/// Ram, Mohan, Sita and Meera.
NounPhrases names();

/// Sixteen subjects that show every agreement.
const NounPhrases& some_people();

/// About seventy subjects.
const NounPhrases& people();

/// People that a subject deals with: me, him, my friend, your mother ...
const NounPhrases& companions();

/// A transitive verb and the nouns that can be its object.
struct Deed {
  const Verb* verb;
  std::vector<const Noun*> objects;
};

/// The transitive verbs with their usual objects.
const std::vector<Deed>& deeds();

/// A verb with the rest of its phrase.
struct Action {
  const Verb* verb;
  std::optional<NounPhrase> object;
  Phrase adjunct = {};
};

/// Deeds with one definite object each, and going, coming, running, working, resting.
const std::vector<Action>& actions();

inline constexpr Tense plain_tenses[] = {Tense::habitual, Tense::progressive, Tense::past, Tense::future};

/// A clause from a subject and an action.
inline Clause clause_of(const NounPhrase& subject, const Action& action, Tense tense) {
  return {.subject = &subject,
          .verb = action.verb,
          .tense = tense,
          .object = action.object ? &*action.object : nullptr,
          .adjunct = action.adjunct};
}

/// Suffix for group names.
inline const char* gender_name(Gender gender) { return gender == Gender::feminine ? ", feminine" : ", masculine"; }

/// "to the market": in Hindi, the oblique case without a postposition (baazaar jaata hai, mere ghar aaiye).
Phrase destination(const NounPhrase& place);

/// True if the determiner goes with the noun in that number: a mass noun is not counted, and a singular noun needs a
/// determiner.
bool fits(const Determiner& determiner, const Noun& noun, Number number);

/// The noun with every determiner in either number, except `no`, which negates the whole Hindi clause.
NounPhrases determined(const Noun& noun);

}  // namespace glossa::toy
