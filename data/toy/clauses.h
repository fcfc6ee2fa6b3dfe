#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "data/toy/corpus.h"
#include "data/toy/phrases.h"

/// Clauses of the toy language: one meaning in both languages.
namespace glossa::toy {

enum class Tense { present, progressive, past, past_progressive, future, can, want };

/// A clause, or parts of one. English word order is subject, verb, object or quality, adjunct, time. Hindi word order
/// is subject, time, adjunct, object or quality, verb.
struct Clause {
  std::shared_ptr<const NounPhrase> subject = nullptr;
  const Verb* verb = nullptr;
  std::shared_ptr<const NounPhrase> object = nullptr;
  const Adjective* quality = nullptr;                 ///< the boy is hungry
  const Preposition* preposition = nullptr;           ///< adjunct: the preposition
  std::shared_ptr<const NounPhrase> place = nullptr;  ///< adjunct: the place or person
  const Adverb* time = nullptr;
  const Adverb* question = nullptr;  ///< where, when, why, how
  Tense tense = Tense::present;
  bool negative = false, yes_no = false;
  bool very = false;                     ///< very hungry
  bool there = false;                    ///< there is a book on the table
  bool request = false, please = false;  ///< the polite imperative; its subject is `you`
};

/// Set of clauses. The sum (`+`) of two sets has the clauses of both. The product merges each clause of the first set
/// with each clause of the second set, which varies faster. Parts of the second replace those of the first.
using Clauses = std::vector<Clause>;
Clauses operator*(const Clauses& first, const Clauses& second);

/// Sets of clauses with one part each, one clause per choice. A list given as text is one for `phrases`, or words
/// separated by commas.
template <class Part, class List>
Clauses each(Part Clause::*part, const List& list) {
  Clauses clauses;
  for (const auto& choice : list) clauses.emplace_back().*part = choice;
  return clauses;
}

template <class Word>
Clauses each(const Word* Clause::*part, const Word& (*find)(std::string_view), std::string_view words) {
  Clauses clauses;
  for (const std::string_view word : split(words, ", ")) clauses.emplace_back().*part = &find(word);
  return clauses;
}

inline Clauses subjects(const NounPhrases& list) { return each(&Clause::subject, list); }
inline Clauses subjects(std::string_view list) { return subjects(phrases(list)); }
inline Clauses objects(const NounPhrases& list) { return each(&Clause::object, list); }
inline Clauses objects(std::string_view list) { return objects(phrases(list)); }
inline Clauses places(std::string_view list) { return each(&Clause::place, phrases(list)); }
inline Clauses tenses(std::initializer_list<Tense> list) { return each(&Clause::tense, list); }
inline Clauses verbs(std::string_view words) { return each(&Clause::verb, verb, words); }
inline Clauses prepositions(std::string_view words) { return each(&Clause::preposition, preposition, words); }
inline Clauses questions(std::string_view words) { return each(&Clause::question, adverb, words); }
inline Clauses times(std::string_view words) { return each(&Clause::time, adverb, words); }

/// True if the clause is natural in both languages, and each language has only one way to say it.
bool well_formed(const Clause& clause);

/// The clause in both languages.
ToyPair render(const Clause& clause);

}  // namespace glossa::toy
