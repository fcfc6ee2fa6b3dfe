#include "data/toy/phrases.h"

#include <algorithm>

#include "base/check.h"

namespace glossa::toy {
namespace {

/// Direct or oblique form of a noun.
std::string decline(const Noun& noun, Number number, bool oblique) {
  const std::string& word = noun.hindi;
  const std::string stem = word.substr(0, word.size() - 1);
  const bool plural = number == Number::plural;
  if (noun.kind & respected) return word;
  if (word.ends_with('-')) return stem + (!oblique ? (plural ? "e" : "a") : plural ? "on" : "e");  // ladka, ladke
  if (!plural) return word;
  if (word.ends_with("iya")) return stem + (oblique ? "on" : "aan");  // chidiyon, chidiyaan
  if (oblique) return word + (word.ends_with('i') ? "yon" : "on");    // ladkiyon, aadmiyon, gharon
  if (noun.gender == Gender::masculine) return word;                  // aadmi, ghar
  return word + (word.ends_with('i') ? "yaan" : "en");                // ladkiyaan, kitaaben
}

/// Sets the cases of a noun or name: the oblique form and a postposition.
NounPhrase with_cases(NounPhrase phrase, const std::string& direct, const std::string& oblique) {
  phrase.hindi = {direct, oblique, oblique + " ne", oblique + " ko", oblique + " se", oblique + " k-"};
  return phrase;
}

/// Pronouns, with their fused cases, and names. The speaker is a man; aap, ham and ve are plural.
std::vector<NounPhrase> make_pronouns_and_names() {
  using enum Conjugation;
  constexpr Agreement he, she = {Gender::feminine}, they = {.number = Number::plural}, me = {.first_person = true};
  const auto name = [](const char* english, const char* hindi, Agreement agreement) {
    return with_cases({english, english, {}, agreement}, hindi, hindi);
  };
  NounPhrase who = name("who", "kaun", he), what = name("what", "kya", he);
  who.hindi[static_cast<std::size_t>(Case::ergative)] = "kisne";
  what.kind = thing;
  who.asks = what.asks = true;
  return {{"i", "me", {"main", "", "maine", "mujhe", "mujhse", "mer-"}, me, Conjugation::i, person, true, Owner::i},
          {"you", "you", {"aap", "", "aapne", "aapko", "aapse", "aapk-"}, they, plural, person, true, Owner::you},
          {"he", "him", {"vah", "", "usne", "use", "usse", "usk-"}, he},
          {"she", "her", {"vah", "", "usne", "use", "usse", "usk-"}, she},
          {"we", "us", {"ham", "", "hamne", "hamen", "hamse", "hamaar-"}, they, plural, person, true, Owner::we},
          {"they", "them", {"ve", "", "unhone", "unhen", "unse", "unk-"}, they, plural},
          who,
          what,
          name("ram", "raam", he),
          name("mohan", "mohan", he),
          name("sita", "seeta", she),
          name("meera", "meera", she)};
}

/// True if the determiner fits the noun in that number. A mass noun cannot be counted, and a singular noun needs a
/// determiner.
bool fits(const Determiner& determiner, const Noun& noun, Number number) {
  const bool bare = determiner.english.empty();
  if (!determiner.goes_with(number)) return false;
  return number == Number::plural ? !noun.mass() : noun.mass() ? bare || determiner.definite : !bare;
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
  const bool an = determiner.english == "a" && std::string_view("aeiou").find(next[0]) != std::string_view::npos;
  phrase.english = join({an ? "an" : determiner.english, adjective ? next : "", english_noun});
  phrase.english_object = phrase.english;

  // `this` and `that` of a respected person are plural in Hindi: ye mere pitaji hain.
  const std::string_view which = determiner.english;
  const bool polite = honorific && (which == "this" || which == "that");
  const Determiner& word = polite ? toy::determiner(which == "this" ? "these" : "those") : determiner;
  const auto hindi = [&](bool oblique) {
    return join({agree(oblique ? word.oblique : word.direct, phrase.agreement, oblique),
                 adjective ? agree(adjective->hindi, phrase.agreement, oblique) : "", decline(noun, number, oblique)});
  };
  return with_cases(phrase, hindi(false), hindi(true));
}

void append(NounPhrases& list, NounPhrase phrase) {
  list.push_back(std::make_shared<const NounPhrase>(std::move(phrase)));
}

void append_fitting(NounPhrases& list, const Determiner& determiner, const Noun& noun, Number number,
                    const Adjective* adjective = nullptr) {
  if (fits(determiner, noun, number)) append(list, noun_phrase(determiner, noun, number, adjective));
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
  if (!stem.ends_with('-')) return stem;
  std::string word = stem;
  const bool plural = agreement.number == Number::plural;
  word.back() = agreement.gender == Gender::feminine ? 'i' : oblique || plural ? 'e' : 'a';
  return word;
}

NounPhrases phrases(std::string_view list) {
  static const std::vector<NounPhrase> pronouns_and_names = make_pronouns_and_names();
  NounPhrases result;
  for (const std::string_view item : split(list, ", ")) {
    const auto words = split(item, " ");
    if (words.size() == 1) {
      const auto found = std::ranges::find(pronouns_and_names, item, &NounPhrase::english);
      check(found != pronouns_and_names.end(), "toy grammar", "expected a pronoun or name; got '{}'", item);
      append(result, *found);
      continue;
    }
    for (const std::string_view word : split(words[1], "/")) {
      const auto plural = std::ranges::find(nouns(), word, &Noun::english_plural);
      for (const std::string_view which : split(words[0], "/")) {
        const Determiner& before = determiner(which);
        if (plural != nouns().end())
          append_fitting(result, before, *plural, Number::plural);
        else
          append_fitting(result, before, noun(word), before.number());
      }
    }
  }
  return result;
}

NounPhrases noun_phrases(const Noun& noun, std::string_view determiners, Forms forms) {
  std::vector<const Adjective*> choices;
  if (!forms.adjectives) choices = {nullptr};
  for (const Adjective& adjective : adjectives())
    if (forms.adjectives && (adjective.kinds & noun.kind)) choices.push_back(&adjective);
  NounPhrases list;
  for (const Adjective* adjective : choices)
    for (const std::string_view word : split(determiners, "/"))
      for (const Number number : {Number::singular, Number::plural})
        if (forms.both_numbers || number == determiner(word).number())
          append_fitting(list, determiner(word), noun, number, adjective);
  return list;
}

NounPhrases things(unsigned kinds, std::string_view determiners, unsigned except) {
  NounPhrases list;
  for (const Noun& noun : nouns())
    if ((noun.kind & kinds) && !(noun.kind & except) && noun.english != "world")
      list = list + noun_phrases(noun, determiners, {.both_numbers = true});
  std::erase_if(list, [](const auto& phrase) { return (phrase->kind & respected) && phrase->plural(); });
  return list;
}

NounPhrases possessions(const NounPhrases& owned, const NounPhrases& owners) {
  NounPhrases list;
  for (const auto& head : owned)
    for (const auto& owner : owners) {
      NounPhrase phrase = *head;
      phrase.english = phrase.english_object = join({head->english, "of", owner->english_object});
      phrase.owner = owner->owner;
      const std::string& stem = owner->form(Case::genitive);
      append(list, with_cases(phrase, join({agree(stem, head->agreement), head->form(Case::direct)}),
                              join({agree(stem, head->agreement, true), head->form(Case::oblique)})));
    }
  return list;
}

NounPhrases demonstratives(const NounPhrase& shown) {
  const Agreement agreement = shown.agreement;
  const bool plural = agreement.number == Number::plural;
  NounPhrases list;
  for (const bool near : {true, false}) {
    const std::string english = shown.plural() ? (near ? "these" : "those") : (near ? "this" : "that");
    const std::string hindi = plural ? (near ? "ye" : "ve") : (near ? "yah" : "vah");
    append(list, {english, english, {hindi}, agreement, shown.conjugation, shown.kind, true, Owner::none});
  }
  return list;
}

}  // namespace glossa::toy
