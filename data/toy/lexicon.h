#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

/// Words of the toy language. Hindi is written in lower-case ASCII by one scheme. Long a, i, u are `aa`, `ee`, `oo`
/// inside a word and `a`, `i`, `u` at its end (aadmi, kamra, kitaab). An `n` follows a nasal vowel (mein, nahin, hoon).
/// `chh` is the aspirate of `ch`. Retroflex and dental consonants look alike. The honorific `ji` is joined to a
/// complete word (pitaji).
namespace glossa::toy {

enum class Gender { masculine, feminine };
enum class Number { singular, plural };

/// Kind of a noun. Each kind is one bit, because an adjective may fit several kinds.
enum Kind : unsigned {
  person = 1,
  animal = 2,
  text = 4,
  fruit = 8,
  food = 16,
  thing = 32,
  flora = 64,
  place = 128,
  tale = 256
};

/// Kinds of things that a person may possess.
inline constexpr unsigned belongings = animal | text | fruit | food | thing | flora;

/// A noun. Hindi has two genders and two cases: direct, and oblique before every postposition.
struct Noun {
  std::string english, english_plural;  ///< empty plural: a mass noun (water)
  Gender gender;
  std::string direct, direct_plural, oblique, oblique_plural;
  unsigned kind;
  bool honorific = false;  ///< takes the plural: mere pitaji kitaab padhte hain

  bool mass() const { return english_plural.empty(); }
};

/// An adjective. Adjectives in -a agree with their noun (accha, acche, acchi); other adjectives never change (laal).
struct Adjective {
  std::string english;
  std::string hindi;  ///< the stem if it inflects, else the word
  bool inflects;
  unsigned kinds;  ///< the nouns it fits
};

/// A verb. Compound verbs put a noun or adjective before `karna`: band karna (to close), kaam karna (to work).
struct Verb {
  std::string english, english_third, english_ing, english_past;
  std::string english_particle;           ///< `at` of look at
  std::string element;                    ///< `band` of band karna
  std::string root;                       ///< before -ta and -na: khaata, khaana
  std::string stem;                       ///< as a separate word: kha raha hai
  std::string future_first;               ///< khaaoonga
  std::string future_stem;                ///< before -ga, -gi, -nge, -ngi: khaayega
  std::array<std::string, 4> perfective;  ///< masculine and feminine singular, masculine and feminine plural
  std::string request;                    ///< the polite imperative in -iye
  bool takes_ne = true;                   ///< transitive: ergative subject in the past tense
  Gender inner = Gender::masculine;       ///< gender that the past agrees with if the clause has no object
};

/// Person meant by a possessive or pronoun; `apna` replaces a possessive that means the subject.
enum class Owner { none, i, we, you, third };

/// A word before the noun. Only possessives have an owner and agree with the thing possessed.
struct Determiner {
  std::string english, direct, oblique;  ///< for a possessive, both Hindi forms are the stem (mer-)
  bool singular, plural;                 ///< true if the word goes with singular nouns, with plural nouns
  bool definite;
  Owner owner = Owner::none;

  /// Number of the nouns that it goes with; singular if it goes with both.
  Number number() const { return singular ? Number::singular : Number::plural; }
};

const std::vector<Noun>& nouns();
const std::vector<Adjective>& adjectives();
const std::vector<Verb>& verbs();
const std::vector<Determiner>& determiners();

/// Returns the entry with this English word; throws if there is no such entry.
const Noun& noun(std::string_view english);
const Adjective& adjective(std::string_view english);
const Verb& verb(std::string_view english);
const Determiner& determiner(std::string_view english);

}  // namespace glossa::toy
