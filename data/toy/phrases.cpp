#include "data/toy/phrases.h"

#include "base/check.h"

namespace glossa::toy {
namespace {

/// True for an English plural in the lexicon.
bool is_plural(std::string_view word, const Noun& noun) { return word == noun.english_plural; }

/// a or an, by the sound of the next word.
std::string english_article(const std::string& determiner, const std::string& next) {
  const bool vowel = std::string_view("aeiou").find(next.front()) != std::string_view::npos;
  return determiner == "a" && vowel ? "an" : determiner;
}

/// Fills the cases made of the oblique form and a postposition; pronouns have fused ones instead.
void decline(NounPhrase& phrase) {
  phrase.ergative = phrase.oblique + " ne";
  phrase.dative = phrase.oblique + " ko";
  phrase.instrumental = phrase.oblique + " se";
  phrase.genitive = phrase.oblique + " k";
}

/// A pronoun with its fused cases.
NounPhrase pronoun(const char* english, const char* object, const char* direct, const char* ergative,
                   const char* dative, const char* instrumental, const char* genitive, Agreement agreement,
                   Owner self = Owner::third) {
  const Conjugation conjugation = agreement.first_person               ? Conjugation::i
                                  : agreement.number == Number::plural ? Conjugation::plural
                                                                       : Conjugation::singular;
  return {english,  object,    direct,      "",     ergative, dative, instrumental,
          genitive, agreement, conjugation, person, true,     self};
}

/// `this` and `that` of a respected person are plural in Hindi: ye mere pitaji hain.
const Determiner& hindi_determiner(const Determiner& english, bool honorific) {
  if (honorific && english.english == "this") return determiner("these");
  if (honorific && english.english == "that") return determiner("those");
  return english;
}

std::string determiner_form(const Determiner& determiner, Agreement agreement, bool oblique) {
  if (determiner.owner != Owner::none) return agree(determiner.direct, agreement, oblique);
  return oblique ? determiner.oblique : determiner.direct;
}

}  // namespace

std::string join(std::initializer_list<std::string_view> words) {
  std::string line;
  std::size_t length = 0;
  for (const std::string_view word : words) length += word.size() + 1;
  line.reserve(length);
  for (const std::string_view word : words) {
    if (word.empty()) continue;
    if (!line.empty()) line += ' ';
    line += word;
  }
  return line;
}

std::string agree(const std::string& stem, Agreement agreement, bool oblique) {
  if (agreement.gender == Gender::feminine) return stem + "i";
  return stem + (oblique || agreement.number == Number::plural ? "e" : "a");
}

std::string agree(const Adjective& adjective, Agreement agreement, bool oblique) {
  return adjective.inflects ? agree(adjective.hindi, agreement, oblique) : adjective.hindi;
}

NounPhrase noun_phrase(const Determiner& determiner, const Noun& noun, Number number, const Adjective* adjective) {
  const bool plural = number == Number::plural;
  NounPhrase phrase;
  phrase.agreement = {noun.gender, plural || noun.honorific ? Number::plural : Number::singular, false};
  phrase.conjugation = plural ? Conjugation::plural : Conjugation::singular;
  phrase.kind = noun.kind;
  phrase.definite = determiner.definite || noun.mass();
  phrase.owner = determiner.owner;

  const std::string& english_noun = plural ? noun.english_plural : noun.english;
  const std::string& english_adjective = adjective ? adjective->english : "";
  const std::string& next = adjective ? english_adjective : english_noun;
  phrase.english = join({english_article(determiner.english, next), english_adjective, english_noun});
  phrase.english_object = phrase.english;

  const Determiner& word = hindi_determiner(determiner, noun.honorific);
  const auto hindi = [&](bool oblique, const std::string& noun_form) {
    return join({determiner_form(word, phrase.agreement, oblique),
                 adjective ? agree(*adjective, phrase.agreement, oblique) : "", noun_form});
  };
  phrase.direct = hindi(false, plural ? noun.direct_plural : noun.direct);
  phrase.oblique = hindi(true, plural ? noun.oblique_plural : noun.oblique);
  decline(phrase);
  return phrase;
}

NounPhrase noun_phrase(std::string_view determiner_word, std::string_view noun_word) {
  for (const Noun& entry : nouns())
    if (is_plural(noun_word, entry)) return noun_phrase(determiner(determiner_word), entry, Number::plural);
  return noun_phrase(determiner(determiner_word), noun(noun_word), Number::singular);
}

NounPhrase noun_phrase(std::string_view words) {
  const std::size_t space = words.find(' ');
  return noun_phrase(words.substr(0, space), words.substr(space + 1));
}

const NounPhrases& pronouns() {
  constexpr auto masculine = Gender::masculine, feminine = Gender::feminine;
  constexpr auto singular = Number::singular, plural = Number::plural;
  // The speaker is a man unless the pronoun says otherwise; aap, ham and ve are plural.
  static const NounPhrases table = {
      pronoun("i", "me", "main", "maine", "mujhe", "mujhse", "mer", {masculine, singular, true}, Owner::i),
      pronoun("you", "you", "aap", "aapne", "aapko", "aapse", "aapk", {masculine, plural}, Owner::you),
      pronoun("he", "him", "vah", "usne", "use", "usse", "usk", {masculine, singular}),
      pronoun("she", "her", "vah", "usne", "use", "usse", "usk", {feminine, singular}),
      pronoun("we", "us", "ham", "hamne", "hamen", "hamse", "hamaar", {masculine, plural}, Owner::we),
      pronoun("they", "them", "ve", "unhone", "unhen", "unse", "unk", {masculine, plural}),
  };
  return table;
}

NounPhrase name(const std::string& english, const std::string& hindi, Gender gender) {
  NounPhrase phrase;
  phrase.english = phrase.english_object = english;
  phrase.direct = phrase.oblique = hindi;
  phrase.agreement.gender = gender;
  decline(phrase);
  return phrase;
}

NounPhrase possession(const NounPhrase& thing, const NounPhrase& possessor) {
  NounPhrase phrase = thing;
  phrase.english = phrase.english_object = join({thing.english, "of", possessor.english_object});
  phrase.direct = join({agree(possessor.genitive, thing.agreement), thing.direct});
  phrase.oblique = join({agree(possessor.genitive, thing.agreement, true), thing.oblique});
  phrase.owner = possessor.owner;
  decline(phrase);
  return phrase;
}

Phrase receiver(const NounPhrase& phrase) {
  return {"to " + phrase.english_object, phrase.dative, phrase.owner, phrase.self};
}

Phrase hearer(const NounPhrase& phrase) {
  return {"to " + phrase.english_object, phrase.instrumental, phrase.owner, phrase.self};
}

Phrase adpositional(std::string_view preposition, const NounPhrase& phrase) {
  struct Adposition {
    std::string_view english, hindi;
    bool compound;
  };
  static constexpr Adposition table[] = {
      {"in", "mein", false},           {"on", "par", false},    {"from", "se", false},
      {"under", "neeche", true},       {"near", "paas", true},  {"behind", "peechhe", true},
      {"in front of", "saamne", true}, {"with", "saath", true}, {"for", "liye", true},
  };
  for (const auto& [english, hindi, compound] : table)
    if (english == preposition)
      return {join({english, phrase.english_object}), join({compound ? phrase.genitive + "e" : phrase.oblique, hindi}),
              phrase.owner, phrase.self};
  fail("toy grammar", "expected a preposition of the lexicon; got '{}'", preposition);
}

}  // namespace glossa::toy
