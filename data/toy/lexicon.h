#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

/// Words of the toy language. Hindi is written in lower-case ASCII by one scheme. Long a, i, u are `aa`, `ee`, `oo`
/// inside a word and `a`, `i`, `u` at its end (aadmi, kamra, kitaab). An `n` follows a nasal vowel (mein, nahin, hoon).
/// `chh` is the aspirate of `ch`. Retroflex and dental consonants look alike. The honorific `ji` is joined to a
/// complete word (pitaji). A stem with a final hyphen takes an ending in -a, -e or -i: `acch-` is accha, acche, acchi.
namespace glossa::toy {

enum class Gender { masculine, feminine };
enum class Number { singular, plural };

/// Kinds of nouns. Each kind is one bit, because an adjective may fit several kinds. A `respected` person takes the
/// plural in Hindi: mere pitaji kitaab padhte hain. A `fixture` (door, tree) is never the object of having, wanting or
/// liking.
inline constexpr unsigned person = 1, animal = 2, text = 4, fruit = 8, food = 16, thing = 32, flora = 64, place = 128,
                          tale = 256, respected = 512, fixture = 1024;

/// Kinds of things that a person may possess.
inline constexpr unsigned belongings = animal | text | fruit | food | thing | flora;

/// A noun. The other Hindi forms follow from the gender and the ending of the direct singular.
struct Noun {
  std::string english, english_plural;  ///< `-`: a mass noun (water)
  Gender gender;
  std::string hindi;
  unsigned kind;

  bool mass() const { return english_plural == "-"; }
};

struct Adjective {
  std::string english, hindi;
  unsigned kinds = 0;  ///< kinds of nouns that the adjective fits
};

/// Hindi cases inside a clause. Oblique nouns precede postpositions; pronouns have fused forms (mujhe, mujhse, mer-).
enum class Case { direct, oblique, ergative, dative, instrumental, genitive };

/// A verb. Compound verbs put a noun or adjective before `karna`: band karna (to close), kaam karna (to work).
struct Verb {
  std::array<std::string, 4> english;  ///< eat, eats, eating, ate
  std::string particle = "";           ///< `at` of look at
  std::string element = "";            ///< `band` of band karna
  std::string root;                    ///< stem before -ta and -na: khaata, khaana
  Case past_subject = Case::ergative;  ///< usne kitaab padhi, but vah gayi
  Case to = Case::oblique;             ///< case for English `to`: baazaar jaata hai, use deta hai, usse baat karta hai
  Gender inner = Gender::masculine;    ///< gender of the past if the clause has no object
  Case subject = Case::direct;         ///< dative or genitive: the Hindi verb agrees with the English object
};

/// Hindi stems of a verb. Most verbs have one.
struct Stems {
  std::string root;
  std::string word;     ///< stem as a separate word: kha raha hai
  std::string past;     ///< stem before -a: khaaya
  std::string future;   ///< stem before -oonga: khaaoonga
  std::string request;  ///< stem before the -iye of the polite imperative: khaaiye
};

/// Person denoted by a possessive or pronoun. `apna` replaces a possessive that denotes the subject.
enum class Owner { none, i, we, you, third };

/// Grammatical numbers that a determiner allows for its noun.
enum class Numbers { singular, plural, both };

/// A word before the noun.
struct Determiner {
  std::string english, direct, oblique;
  Numbers numbers;
  bool definite;
  Owner owner;

  bool goes_with(Number number) const {
    return numbers != (number == Number::plural ? Numbers::singular : Numbers::plural);
  }
  Number number() const { return goes_with(Number::singular) ? Number::singular : Number::plural; }
};

/// A preposition. Its Hindi form follows a noun phrase in a certain case: mez ke neeche, mere saath.
struct Preposition {
  std::string english, hindi;
  Case governs;
};

/// An adverb of time, or a question word.
struct Adverb {
  std::string english, hindi;
};

/// Splits a list at each separator.
std::vector<std::string_view> split(std::string_view list, std::string_view separator);

const std::vector<Noun>& nouns();
const std::vector<Adjective>& adjectives();

/// Returns the entry with this English word; throws if there is no such entry.
const Noun& noun(std::string_view english);
const Verb& verb(std::string_view english);
const Determiner& determiner(std::string_view english);
const Preposition& preposition(std::string_view english);
const Adverb& adverb(std::string_view english);

Stems stems_of(const Verb& verb);

}  // namespace glossa::toy
