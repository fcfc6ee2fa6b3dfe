#include "data/toy/phrases.h"

#include <algorithm>

namespace glossa::toy {
namespace {

/// Direct or oblique form of a noun.
std::string decline(const Noun& noun, Number number, bool oblique) {
  const std::string& word = noun.hindi;
  const bool plural = number == Number::plural;
  if (noun.kind & respected) return word;
  if (word.ends_with('-')) {  // ladka, ladke; ladke ko, ladkon ko
    const std::string stem = word.substr(0, word.size() - 1);
    return stem + (plural ? (oblique ? "on" : "e") : (oblique ? "e" : "a"));
  }
  if (!plural) return word;
  const std::string glide = word.ends_with('i') ? "y" : "";
  if (word.ends_with("iya")) return word.substr(0, word.size() - 1) + (oblique ? "on" : "aan");  // chidiyaan
  if (oblique) return word + glide + "on";                                                       // gharon, ladkiyon
  if (noun.gender == Gender::masculine) return word;                                             // ghar, aadmi
  return word + (word.ends_with('i') ? "yaan" : "en");  // ladkiyaan, kitaaben
}

/// Fills the cases made of the oblique form and a postposition; pronouns have fused ones instead.
NounPhrase with_cases(NounPhrase phrase, const std::string& direct, const std::string& oblique) {
  phrase.hindi = {direct, oblique, oblique + " ne", oblique + " ko", oblique + " se", oblique + " k-"};
  return phrase;
}

NounPhrase name(const std::string& english, const std::string& hindi, Agreement agreement = {}) {
  return with_cases({english, english, {}, agreement}, hindi, hindi);
}

/// a or an, by the sound of the next word.
std::string english_article(const std::string& determiner, const std::string& next) {
  const bool vowel = std::string_view("aeiou").find(next.front()) != std::string_view::npos;
  return determiner == "a" && vowel ? "an" : determiner;
}

/// `this` and `that` of a respected person are plural in Hindi: ye mere pitaji hain.
const Determiner& hindi_determiner(const Determiner& english, bool honorific) {
  if (honorific && english.english == "this") return determiner("these");
  if (honorific && english.english == "that") return determiner("those");
  return english;
}

/// True if the determiner goes with the noun in that number: a mass noun is not counted, and a singular noun needs a
/// determiner.
bool fits(const Determiner& determiner, const Noun& noun, Number number) {
  const bool bare = determiner.english.empty();
  if (number == Number::plural) return determiner.plural && !noun.mass();
  return determiner.singular && (noun.mass() ? bare || determiner.definite : !bare);
}

NounPhrase noun_phrase(const Determiner& determiner, const Noun& noun, Number number, const Adjective* adjective) {
  const bool plural = number == Number::plural, honorific = noun.kind & respected;
  NounPhrase phrase;
  phrase.agreement = {noun.gender, plural || honorific ? Number::plural : Number::singular};
  phrase.conjugation = plural ? Conjugation::plural : Conjugation::singular;
  phrase.kind = noun.kind;
  phrase.definite = determiner.definite || noun.mass();
  phrase.owner = determiner.owner;
  phrase.adjective = adjective;
  phrase.asks = determiner.english == "whose" || determiner.english == "how many";

  const std::string& english_noun = plural ? noun.english_plural : noun.english;
  const std::string& next = adjective ? adjective->english : english_noun;
  phrase.english = join({english_article(determiner.english, next), adjective ? next : "", english_noun});
  phrase.english_object = phrase.english;

  const Determiner& word = hindi_determiner(determiner, honorific);
  const auto hindi = [&](bool oblique) {
    return join({agree(oblique ? word.oblique : word.direct, phrase.agreement, oblique),
                 adjective ? agree(adjective->hindi, phrase.agreement, oblique) : "", decline(noun, number, oblique)});
  };
  return with_cases(phrase, hindi(false), hindi(true));
}

void append(NounPhrases& list, NounPhrase phrase) {
  list.push_back(std::make_shared<const NounPhrase>(std::move(phrase)));
}

}  // namespace

std::string join(Words words) {
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

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(separator)) != std::string_view::npos;) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  parts.push_back(text);
  return parts;
}

std::string agree(const std::string& stem, Agreement agreement, bool oblique) {
  if (!stem.ends_with('-')) return stem;
  std::string word = stem;
  word.back() = agreement.gender == Gender::feminine                 ? 'i'
                : oblique || agreement.number == Number::plural ? 'e'
                                                                : 'a';
  return word;
}

NounPhrases pronouns() {
  constexpr auto masculine = Gender::masculine, feminine = Gender::feminine;
  constexpr auto singular = Number::singular, plural = Number::plural;
  // The speaker is a man unless the pronoun says otherwise; aap, ham and ve are plural.
  static const NounPhrase table[] = {
      {"i", "me", {"main", "", "maine", "mujhe", "mujhse", "mer-"}, {masculine, singular, true}, Conjugation::i},
      {"you", "you", {"aap", "", "aapne", "aapko", "aapse", "aapk-"}, {masculine, plural}, Conjugation::plural},
      {"he", "him", {"vah", "", "usne", "use", "usse", "usk-"}, {masculine, singular}},
      {"she", "her", {"vah", "", "usne", "use", "usse", "usk-"}, {feminine, singular}},
      {"we", "us", {"ham", "", "hamne", "hamen", "hamse", "hamaar-"}, {masculine, plural}, Conjugation::plural},
      {"they", "them", {"ve", "", "unhone", "unhen", "unse", "unk-"}, {masculine, plural}, Conjugation::plural},
  };
  NounPhrases list;
  for (NounPhrase phrase : table) {
    phrase.self = phrase.english == "i" ? Owner::i
                  : phrase.english == "you" ? Owner::you
                  : phrase.english == "we" ? Owner::we : Owner::third;
    append(list, phrase);
  }
  return list;
}

NounPhrases names() {
  NounPhrases list;
  append(list, name("ram", "raam"));
  append(list, name("mohan", "mohan"));
  append(list, name("sita", "seeta", {Gender::feminine}));
  append(list, name("meera", "meera", {Gender::feminine}));
  return list;
}

NounPhrases phrases(std::string_view list) {
  NounPhrases result;
  for (const std::string_view item : split(list, ", ")) {
    const auto words = split(item, " ");
    if (words.size() == 1) {
      for (const auto& phrase : pronouns() + names())
        if (phrase->english == item) result.push_back(phrase);
      continue;
    }
    for (const std::string_view noun_word : split(words[1], "/"))
      for (const std::string_view determiner_word : split(words[0], "/")) {
        const Determiner& before = determiner(determiner_word);
        const auto is_plural = [&](const Noun& entry) { return entry.english_plural == noun_word; };
        const auto plural = std::ranges::find_if(nouns(), is_plural);
        const Noun& entry = plural != nouns().end() ? *plural : noun(noun_word);
        const Number number = plural != nouns().end() ? Number::plural : before.number();
        if (fits(before, entry, number)) append(result, noun_phrase(before, entry, number, nullptr));
      }
  }
  return result;
}

NounPhrases determined(const Noun& noun, Words determiners, bool both_numbers, const Adjective* adjective) {
  NounPhrases list;
  for (const std::string_view word : determiners) {
    const Determiner& before = determiner(word);
    for (const Number number : {Number::singular, Number::plural})
      if ((both_numbers || number == before.number()) && fits(before, noun, number))
        append(list, noun_phrase(before, noun, number, adjective));
  }
  return list;
}

NounPhrases described(const Noun& noun, Words determiners, bool both_numbers) {
  NounPhrases list;
  for (const Adjective& adjective : adjectives())
    if (adjective.kinds & noun.kind) list = list + determined(noun, determiners, both_numbers, &adjective);
  return list;
}

NounPhrases things(unsigned kinds, Words determiners, unsigned except) {
  NounPhrases list;
  for (const Noun& noun : nouns())
    if ((noun.kind & kinds) && !(noun.kind & except) && noun.english != "world")
      for (const auto& phrase : determined(noun, determiners, true))
        if (!(noun.kind & respected) || !phrase->plural()) list.push_back(phrase);
  return list;
}

NounPhrase possession(const NounPhrase& thing, const NounPhrase& possessor) {
  NounPhrase phrase = thing;
  phrase.english = phrase.english_object = join({thing.english, "of", possessor.english_object});
  phrase.owner = possessor.owner;
  const std::string& stem = possessor.form(Case::genitive);
  return with_cases(phrase, join({agree(stem, thing.agreement), thing.form(Case::direct)}),
                    join({agree(stem, thing.agreement, true), thing.form(Case::oblique)}));
}

NounPhrase demonstrative(bool near, const NounPhrase& shown) {
  const std::string english = shown.plural() ? (near ? "these" : "those") : (near ? "this" : "that");
  const bool plural = shown.agreement.number == Number::plural;
  NounPhrase phrase = name(english, plural ? (near ? "ye" : "ve") : (near ? "yah" : "vah"), shown.agreement);
  phrase.conjugation = shown.conjugation;
  phrase.kind = shown.kind;
  phrase.self = Owner::none;
  return phrase;
}

NounPhrase interrogative(std::string_view english) {
  NounPhrase phrase = english == "who" ? name("who", "kaun") : name("what", "kya");
  phrase.hindi[static_cast<std::size_t>(Case::ergative)] = "kisne";
  phrase.kind = english == "who" ? person : thing;
  phrase.asks = true;
  return phrase;
}

}  // namespace glossa::toy
