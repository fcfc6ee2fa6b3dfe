#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/toy/corpus.h"
#include "data/toy/phrases.h"

/// Clauses of the toy language: one meaning in both languages.
namespace glossa::toy {

enum class Tense { present, progressive, past, past_progressive, future, can, want };

/// A clause, or parts of one. English is subject, verb, object or quality, adjunct, time; Hindi is subject, time,
/// adjunct, object or quality, verb.
struct Clause {
  std::shared_ptr<const NounPhrase> subject = nullptr;
  const Verb* verb = nullptr;
  std::shared_ptr<const NounPhrase> object = nullptr;
  const Adjective* quality = nullptr;  ///< the boy is hungry
  const Preposition* preposition = nullptr;
  std::shared_ptr<const NounPhrase> place = nullptr;  ///< or person: noun phrase of the adjunct
  const Adverb* time = nullptr;
  const Adverb* question = nullptr;  ///< where, kahaan
  std::optional<Tense> tense = {};   ///< present if unset
  bool negative = false;
  bool yes_no = false;
  bool very = false;     ///< very hungry
  bool there = false;    ///< there is a book on the table
  bool request = false;  ///< the polite imperative; its subject is `you`
  bool please = false;
};

/// Sets of clauses. The product of two sets has each clause of the first set with each clause of the second set, the
/// second varying faster; a part of the second replaces that of the first. The sum (`+`) has the clauses of both.
using Clauses = std::vector<Clause>;
Clauses operator*(const Clauses& first, const Clauses& second);

/// True if the clause is natural in both languages, and each language has only one way to say it. Comments in the
/// definition name the rules.
bool well_formed(const Clause& clause);

/// The clause in both languages.
ToyPair render(const Clause& clause);

/// Present forms of `hona`: hoon, hai, hain.
std::string hona(Agreement agreement);

}  // namespace glossa::toy
