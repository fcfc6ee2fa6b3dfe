#pragma once

#include <string>

#include "data/toy/corpus.h"
#include "data/toy/phrases.h"

/// Clauses of the toy language: each function renders one meaning in both languages.
namespace glossa::toy {

enum class Tense { habitual, progressive, past, past_progressive, future, can, want };
enum class Mood { statement, yes_no };

/// One verbal clause. English is subject, verb, object, adjunct, time; Hindi is subject, time, adjunct, object, verb.
struct Clause {
  const NounPhrase* subject;
  const Verb* verb;
  Tense tense = Tense::habitual;
  const NounPhrase* object = nullptr;
  bool negative = false;
  Mood mood = Mood::statement;
  Phrase question = {};  ///< a wh-word that is not the subject: where, kahaan
  Phrase adjunct = {};
  Phrase time = {};
};

/// True if the clause is natural in both languages, and each language has only one way to say it. Excludes:
/// - a third person's possessive with a third-person subject (uska or apna); `we ... my` and `i ... our`
/// - an indefinite object under negation
/// - acting on oneself
/// - `ve ve kitaaben` (they, those books)
/// - a past tense spelled like the present (read), unless something else in the clause shows the tense (he read, i read
///   yesterday, did you read)
bool well_formed(const Clause& clause);

/// The clause in both languages.
ToyPair render(const Clause& clause);

/// "who" as a subject: kaun, kisne.
const NounPhrase& who();

/// The polite imperative: (please) [do not] verb object; (kripaya) object [mat] verb-iye.
ToyPair imperative(const Verb& verb, const NounPhrase* object, const Phrase& adjunct, bool please, bool negative);

/// Tenses of `to be` that copular clauses use.
enum class Being { present, past, future };

/// A clause of being: "the boy was not hungry", "kya ladka bhookha tha".
struct Copula {
  const NounPhrase* subject;
  Phrase complement;
  Being being = Being::present;
  bool negative = false;
  Mood mood = Mood::statement;
};

/// The copular clause in both languages.
ToyPair render(const Copula& clause);

/// The finite forms of `to be` (am, is, are ...) and `hona` (hoon, hai, hain; tha, the, thi, thin; hoga, hogi ...).
std::string english_be(Being being, Conjugation conjugation);
std::string hindi_be(Being being, Agreement agreement);

}  // namespace glossa::toy
