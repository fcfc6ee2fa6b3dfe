#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "data/toy/lexicon.h"

/// Phrases of the toy language: noun phrases in their cases, adverbs and postpositional phrases.
namespace glossa::toy {

/// Features with which a Hindi verb, adjective or possessive agrees. An honorific noun and `aap` count as plural.
struct Agreement {
  Gender gender = Gender::masculine;
  Number number = Number::singular;
  bool first_person = false;
};

/// Form of an English finite verb: i am, he is, they are.
enum class Conjugation { i, singular, plural };

/// A noun phrase in the cases that clauses need. English has two cases (`i`, `me`); Hindi has the cases below.
struct NounPhrase {
  std::string english, english_object;
  std::string direct;        ///< ladka, main
  std::string oblique;       ///< before mein, par, se: ladke; empty for pronouns
  std::string ergative;      ///< ladke ne, maine
  std::string dative;        ///< ladke ko, mujhe
  std::string instrumental;  ///< ladke se, mujhse
  std::string genitive;      ///< the stem before -a, -e, -i: ladke k-, mer-
  Agreement agreement;
  Conjugation conjugation = Conjugation::singular;
  unsigned kind = person;
  bool definite = true;
  Owner self = Owner::third;  ///< person of this phrase; if it is the subject, possessives of this person become `apna`
  Owner owner = Owner::none;  ///< owner of a possessed noun
};

/// An adverb or a postpositional phrase: `in my house`, `mere ghar mein`.
struct Phrase {
  std::string english, hindi;
  Owner owner = Owner::none;  ///< owner named by the possessive that the phrase begins with
  Owner self = Owner::none;   ///< person of the noun phrase inside; none for adverbs
};

using NounPhrases = std::vector<NounPhrase>;
using Phrases = std::vector<Phrase>;

/// Joins words with single spaces; skips empty words.
std::string join(std::initializer_list<std::string_view> words);

/// Returns an adjective, possessive or participle in -a with the ending that agrees: accha, acche (plural or oblique),
/// acchi (feminine).
std::string agree(const std::string& stem, Agreement agreement, bool oblique = false);

/// Returns an adjective with the ending that agrees; many adjectives have only one form.
std::string agree(const Adjective& adjective, Agreement agreement, bool oblique = false);

/// Builds the phrase of a determiner, an adjective (may be null) and a noun, in all cases and in agreement.
NounPhrase noun_phrase(const Determiner& determiner, const Noun& noun, Number number,
                       const Adjective* adjective = nullptr);

/// The noun phrase with these English words: noun_phrase("my", "sister"), noun_phrase("two boys").
NounPhrase noun_phrase(std::string_view determiner, std::string_view noun);
NounPhrase noun_phrase(std::string_view words);

/// i, you, he, she, we, they.
const NounPhrases& pronouns();

/// A person's name.
NounPhrase name(const std::string& english, const std::string& hindi, Gender gender);

/// "the brother of the girl", "ladki ka bhaai": in Hindi the possessor comes first, and ka, ke or ki agrees with the
/// thing.
NounPhrase possession(const NounPhrase& thing, const NounPhrase& possessor);

/// "to the boy". In Hindi, the receiver of a thing is in the dative (ladke ko, mujhe). The person spoken to is in the
/// instrumental (ladke se, mujhse).
Phrase receiver(const NounPhrase& phrase);
Phrase hearer(const NounPhrase& phrase);

/// A phrase with a postposition; compound postpositions follow the genitive (mez ke neeche, mere saath).
Phrase adpositional(std::string_view preposition, const NounPhrase& phrase);

}  // namespace glossa::toy
