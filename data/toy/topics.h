#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/toy/clauses.h"

/// The sentences of the toy language, by topic.
namespace glossa::toy {

/// All sentences of one pattern, in a fixed order, grouped by what they turn on: a verb or adjective,
/// and the gender that it agrees with.
struct Topic {
  std::string name;
  std::vector<std::pair<std::string, std::vector<ToyPair>>> groups;
};

/// Collects topics and sees to it that every English sentence comes once and with one Hindi.
class Collector {
 public:
  Collector() { known_.reserve(400'000); }  // as many as there are, or it is made anew fifteen times

  /// Starts a topic; what is added from now on belongs to it.
  void topic(const std::string& name);

  /// Goes on with this group of the topic, a new one if there is none of that name.
  void group(const std::string& name);

  /// Adds a pair unless it is known or has less than 2 or more than 10 words on a side; Error when its English is known
  /// with other Hindi.
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

/// Somebody doing things: verbs with their objects, tenses, questions, adjuncts.
void add_actions(Collector& collector);

/// Give to, talk to, go with, buy for; requests.
void add_dealings(Collector& collector);

/// Being: qualities, identity, places, existence.
void add_states(Collector& collector);

/// Having, wanting and liking, whose Hindi has no subject like the English one.
void add_having(Collector& collector);

/// Greetings, alone or before a question.
void add_greetings(Collector& collector);

// Who and what the topics speak of.

/// Sixteen subjects that show every agreement.
const NounPhrases& some_people();

/// About seventy subjects.
const NounPhrases& people();

/// People as one turns to them: me, him, my friend, your mother ...
const NounPhrases& companions();

/// A verb and what is done to what: nouns by their English words; none for intransitives.
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

/// For the names of groups.
inline const char* gender_name(Gender gender) { return gender == Gender::feminine ? ", feminine" : ", masculine"; }

/// "to the market": the oblique without a postposition (baazaar jaata hai, mere ghar aaiye).
Phrase destination(const NounPhrase& place);

/// Whether the determiner goes with the noun in that number: a mass noun is not counted, a singular is never bare.
bool fits(const Determiner& determiner, const Noun& noun, Number number);

/// The noun with every determiner in either number, but for `no`, which negates the whole Hindi clause.
NounPhrases determined(const Noun& noun);

}  // namespace glossa::toy
