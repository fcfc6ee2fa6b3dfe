#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/toy/lexicon.h"

/// Noun phrases of the toy language in all their cases, and lists of them.
namespace glossa::toy {

/// Features with which a Hindi verb, adjective or possessive agrees. An honorific noun and `aap` count as plural.
struct Agreement {
  Gender gender = Gender::masculine;
  Number number = Number::singular;
  bool first_person = false;
};

/// Form of an English finite verb: i am, he is, they are.
enum class Conjugation { i, singular, plural };

/// A noun, pronoun or name with all words before it. English has two cases (i, me); Hindi has those of `Case`.
struct NounPhrase {
  std::string english, english_object;
  std::array<std::string, 6> hindi;  ///< forms by case: ladka, ladke, ladke ne, ladke ko, ladke se, ladke k-
  Agreement agreement;
  Conjugation conjugation = Conjugation::singular;
  unsigned kind = person;
  bool definite = true;
  Owner self = Owner::third;  ///< person of this phrase; possessives of the subject's person become `apna`
  Owner owner = Owner::none;  ///< owner of a possessed noun
  const Adjective* adjective = nullptr;
  bool asks = false;  ///< who, what, whose book, how many books

  const std::string& form(Case which) const { return hindi[static_cast<std::size_t>(which)]; }
  bool plural() const { return conjugation == Conjugation::plural; }
  bool none() const { return english.starts_with("no "); }  ///< no book: koi kitaab ... nahin
};

using NounPhrases = std::vector<std::shared_ptr<const NounPhrase>>;

/// Joins words with single spaces; skips empty words.
std::string join(std::initializer_list<std::string_view> words);

/// Replaces the hyphen of a stem with the agreeing ending: accha, acche (plural or oblique), acchi (feminine). Returns
/// a word without hyphen unchanged.
std::string agree(const std::string& stem, Agreement agreement, bool oblique = false);

/// The phrases of a list of pronouns, names, and determiners with nouns: "i, ram, the/a boy/girl, the boys". Slashes
/// separate choices; the noun varies slowest. `two boy` means two boys. Skips determiners that do not fit the noun.
NounPhrases phrases(std::string_view list);

/// The forms of a noun to use: both numbers, or only the one its determiner implies; with adjectives or without.
struct Forms {
  bool both_numbers = false, adjectives = false;
};

/// Phrases of a noun with each fitting determiner. The empty word between two slashes leaves the noun bare.
NounPhrases noun_phrases(const Noun& noun, std::string_view determiners, Forms forms = {});

/// Phrases, in both numbers, of nouns that are of one of these kinds but not of `except`.
NounPhrases things(unsigned kinds, std::string_view determiners, unsigned except = 0);

/// "the brother of the girl", "ladki ka bhaai": in Hindi the possessor comes first, and ka, ke or ki agrees with the
/// thing. Combines all things and owners.
NounPhrases possessions(const NounPhrases& owned, const NounPhrases& owners);

/// this and that, or these and those, for a shown thing. A respected person takes the plural: ye mere pitaji hain.
NounPhrases demonstratives(const NounPhrase& shown);

/// Concatenation of lists.
template <class Entry>
std::vector<Entry> operator+(std::vector<Entry> first, const std::vector<Entry>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace glossa::toy
