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

/// All sentences of one pattern, in a fixed order, grouped by main verb or adjective and by the gender that this word
/// agrees with.
struct Topic {
  std::string name;
  std::vector<std::pair<std::string, std::vector<ToyPair>>> groups;
};

/// Collects topics and ensures that every English sentence occurs once, with one Hindi sentence.
class Collector {
 public:
  Collector() { known_.reserve(400'000); }  // full size, to avoid fifteen rehashes

  /// Starts a topic; later additions belong to it.
  void topic(const std::string& name);

  /// Continues with this group of the topic, creating it if needed.
  void group(const std::string& name);

  /// Adds a pair unless it is known or has fewer than 2 or more than 10 words on a side; throws if its English is known
  /// with a different Hindi sentence.
  void add(ToyPair pair);

  /// Adds the clause if it is well formed.
  void add(const Clause& clause);

  std::vector<Topic> take() { return std::move(topics_); }

 private:
  std::vector<Topic> topics_;
  std::vector<ToyPair>* group_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint64_t> known_;  ///< hash of the English: hash of its Hindi
};

/// Every sentence of the language.
std::vector<Topic> toy_language();

/// Actions: verbs with their objects, tenses, questions, adjuncts.
void add_actions(Collector& collector);

/// Give to, talk to, go with, buy for; requests.
void add_dealings(Collector& collector);

/// Being: qualities, identity, places, existence.
void add_states(Collector& collector);

/// Having, wanting and liking, whose Hindi subject differs from the English subject.
void add_having(Collector& collector);

/// Greetings, alone or before a question.
void add_greetings(Collector& collector);

// People and things of the topics.

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
