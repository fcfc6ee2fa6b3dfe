#include "data/toy/clauses.h"

namespace glossa::toy {
namespace {

bool singular(const NounPhrase& subject) { return subject.conjugation == Conjugation::singular; }

struct EnglishVerb {
  std::string auxiliary, main;
};

/// The English verb phrase; questions and negation need an auxiliary, `do` if there is no other.
EnglishVerb english_verb(const Verb& verb, Tense tense, const NounPhrase& subject, bool needs_auxiliary) {
  const std::string does = singular(subject) ? "does" : "do";
  switch (tense) {
    case Tense::habitual:
      if (needs_auxiliary) return {does, verb.english};
      return {"", singular(subject) ? verb.english_third : verb.english};
    case Tense::progressive:
      return {english_be(Being::present, subject.conjugation), verb.english_ing};
    case Tense::past_progressive:
      return {english_be(Being::past, subject.conjugation), verb.english_ing};
    case Tense::past:
      if (needs_auxiliary) return {"did", verb.english};
      return {"", verb.english_past};
    case Tense::future:
      return {"will", verb.english};
    case Tense::can:
      return {"can", verb.english};
    case Tense::want:
      if (needs_auxiliary) return {does, "want to " + verb.english};
      return {"", (singular(subject) ? "wants to " : "want to ") + verb.english};
  }
  return {};
}

/// The future: -oonga for `main`, else -ga, -gi (singular), -nge, -ngi (plural) after the stem in -e (ho of hona).
std::string future(const std::string& first, const std::string& stem, Agreement agreement) {
  if (agreement.first_person) return first;
  const bool feminine = agreement.gender == Gender::feminine;
  if (agreement.number == Number::plural) return stem + (feminine ? "ngi" : "nge");
  return stem + (feminine ? "gi" : "ga");
}

/// Forms that alone show the verb's number mark it on feminines as well: padhi, padhin; thi, thin.
std::size_t finite_index(Agreement agreement) {
  return 2 * (agreement.number == Number::plural) + (agreement.gender == Gender::feminine);
}

/// An animate object takes `ko`; the others stay in the direct case.
bool marked(const NounPhrase& object) { return (object.kind & (person | animal)) != 0; }

/// Agreement of the past of a `ne` verb: the object if unmarked, else nothing (masculine singular) or the noun inside a
/// compound verb (usne baat ki).
Agreement ergative_agreement(const Verb& verb, const NounPhrase* object) {
  if (object == nullptr) return {verb.inner, Number::singular};
  return marked(*object) ? Agreement{} : object->agreement;
}

/// The Hindi verb phrase: main verb, then auxiliaries; `nahin` before the finite part with the meaning.
std::string hindi_verb(const Verb& verb, Tense tense, Agreement subject, const NounPhrase* object, bool negative) {
  const std::string no = negative ? "nahin" : "";
  const std::string now = hindi_be(Being::present, subject);
  switch (tense) {
    case Tense::habitual:
      return join({no, agree(verb.root + "t", subject), now});
    case Tense::progressive:
      return join({no, verb.stem, agree("rah", subject), now});
    case Tense::past_progressive:
      return join({no, verb.stem, agree("rah", subject), hindi_be(Being::past, subject)});
    case Tense::past:
      return join({no, verb.perfective[finite_index(verb.takes_ne ? ergative_agreement(verb, object) : subject)]});
    case Tense::future:
      return join({no, future(verb.future_first, verb.future_stem, subject)});
    case Tense::can:
      return join({no, verb.stem, agree("sakt", subject), now});
    case Tense::want:
      return join({verb.root + "na", no, agree("chaaht", subject), now});
  }
  return {};
}

/// `apna` replaces a possessive that means the subject; the possessive is the first word of its phrase.
std::string reflexive(const std::string& hindi, Owner owner, Owner subject) {
  if (owner == Owner::none || owner != subject) return hindi;
  const std::size_t stem = hindi.find(' ') - 1;
  return "apn" + hindi.substr(stem);
}

/// True for one `i` and one `we`: usage wavers between apna and mera, hamaara.
bool overlap(Owner a, Owner b) { return (a == Owner::i && b == Owner::we) || (a == Owner::we && b == Owner::i); }

std::string object_form(const NounPhrase& object, Owner subject) {
  return reflexive(marked(object) ? object.dative : object.direct, object.owner, subject);
}

}  // namespace

std::string english_be(Being being, Conjugation conjugation) {
  if (being == Being::future) return "will";
  if (being == Being::past) return conjugation == Conjugation::plural ? "were" : "was";
  if (conjugation == Conjugation::i) return "am";
  return conjugation == Conjugation::plural ? "are" : "is";
}

std::string hindi_be(Being being, Agreement agreement) {
  if (being == Being::future) return future("hoonga", "ho", agreement);
  if (being == Being::past) return std::array{"tha", "thi", "the", "thin"}[finite_index(agreement)];
  if (agreement.first_person) return "hoon";
  return agreement.number == Number::plural ? "hain" : "hai";
}

const NounPhrase& who() {
  static const NounPhrase phrase = [] {
    NounPhrase kaun = name("who", "kaun", Gender::masculine);
    kaun.ergative = "kisne";
    return kaun;
  }();
  return phrase;
}

bool well_formed(const Clause& clause) {
  const NounPhrase& subject = *clause.subject;
  if (overlap(subject.self, clause.adjunct.owner) || overlap(subject.self, clause.adjunct.self)) return false;
  if (clause.object && (overlap(subject.self, clause.object->owner) || overlap(subject.self, clause.object->self)))
    return false;
  const bool by_third = subject.self == Owner::third;
  if (by_third && clause.adjunct.owner == Owner::third) return false;
  if (!by_third && clause.adjunct.self == subject.self) return false;
  if (clause.adjunct.english.ends_with(" " + subject.english)) return false;
  if (const NounPhrase* object = clause.object) {
    if (by_third && object->owner == Owner::third) return false;
    if (clause.negative && !object->definite) return false;
    if (!by_third && object->self == subject.self) return false;
    if (object->english == subject.english || object->direct.starts_with(subject.direct + ' ')) return false;
  }
  const bool bare_past = clause.tense == Tense::past && !clause.negative && clause.mood == Mood::statement &&
                         clause.question.english.empty() && clause.time.english.empty();
  return !(bare_past && clause.verb->english == clause.verb->english_past && !singular(subject));
}

ToyPair render(const Clause& clause) {
  const NounPhrase& subject = *clause.subject;
  const Verb& verb = *clause.verb;
  const bool inverted = clause.mood == Mood::yes_no || !clause.question.english.empty();
  const auto [auxiliary, main] = english_verb(verb, clause.tense, subject, inverted || clause.negative);
  const bool cannot = clause.negative && auxiliary == "can";
  const std::string no = cannot || !clause.negative ? "" : "not";
  const std::string rest = join({no, main, verb.english_particle, clause.object ? clause.object->english_object : "",
                                 clause.adjunct.english, clause.time.english});
  const std::string english = inverted ? join({clause.question.english, auxiliary, subject.english, rest})
                                       : join({subject.english, cannot ? "cannot" : auxiliary, rest});

  // A question word precedes the verb, even as the subject.
  const std::string actor = clause.tense == Tense::past && verb.takes_ne ? subject.ergative : subject.direct;
  const bool asks_who = &subject == &who();
  const std::string hindi =
      join({clause.mood == Mood::yes_no ? "kya" : "", asks_who ? "" : actor, clause.time.hindi,
            reflexive(clause.adjunct.hindi, clause.adjunct.owner, subject.self),
            clause.object ? object_form(*clause.object, subject.self) : "", asks_who ? actor : clause.question.hindi,
            verb.element, hindi_verb(verb, clause.tense, subject.agreement, clause.object, clause.negative)});
  return {english, hindi};
}

ToyPair imperative(const Verb& verb, const NounPhrase* object, const Phrase& adjunct, bool please, bool negative) {
  return {join({please ? "please" : "", negative ? "do not" : "", verb.english, verb.english_particle,
                object ? object->english_object : "", adjunct.english}),
          join({please ? "kripaya" : "", reflexive(adjunct.hindi, adjunct.owner, Owner::you),
                object ? object_form(*object, Owner::you) : "", verb.element, negative ? "mat" : "", verb.request})};
}

ToyPair render(const Copula& clause) {
  const NounPhrase& subject = *clause.subject;
  const bool asks = clause.mood == Mood::yes_no;
  const std::string be = english_be(clause.being, subject.conjugation);
  const std::string no = clause.negative ? "not" : "";
  const std::string rest = join({no, clause.being == Being::future ? "be" : "", clause.complement.english});
  return {asks ? join({be, subject.english, rest}) : join({subject.english, be, rest}),
          join({asks ? "kya" : "", subject.direct, clause.complement.hindi, clause.negative ? "nahin" : "",
                hindi_be(clause.being, subject.agreement)})};
}

}  // namespace glossa::toy
