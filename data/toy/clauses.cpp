#include "data/toy/clauses.h"

namespace glossa::toy {
namespace {

bool is(const Clause& clause, std::string_view verb) { return clause.verb->english[0] == verb; }

Tense tense_of(const Clause& clause) { return clause.tense.value_or(Tense::present); }

bool singular(const NounPhrase& subject) { return subject.conjugation == Conjugation::singular; }

// English.

struct EnglishVerb {
  std::string auxiliary, main;
};

/// am, is, are; was, were.
std::string english_be(bool past, const NounPhrase& subject) {
  if (past) return subject.plural() ? "were" : "was";
  if (subject.conjugation == Conjugation::i) return "am";
  return subject.plural() ? "are" : "is";
}

/// The English verb phrase; questions and negation need an auxiliary, `do` if there is no other.
EnglishVerb english_verb(const Clause& clause, bool needs_auxiliary) {
  const NounPhrase& subject = *clause.subject;
  const auto& [base, third, ing, past] = clause.verb->english;
  const bool be = base == "be";
  const std::string does = singular(subject) ? "does" : "do";
  switch (tense_of(clause)) {
    case Tense::present:
      if (be) return {english_be(false, subject), ""};
      if (needs_auxiliary) return {does, base};
      return {"", singular(subject) ? third : base};
    case Tense::progressive:
      return {english_be(false, subject), ing};
    case Tense::past_progressive:
      return {english_be(true, subject), ing};
    case Tense::past:
      if (be) return {english_be(true, subject), ""};
      if (needs_auxiliary) return {"did", base};
      return {"", past};
    case Tense::future:
      return {"will", base};
    case Tense::can:
      return {"can", base};
    case Tense::want:
      if (needs_auxiliary) return {does, "want to " + base};
      return {"", (singular(subject) ? "wants to " : "want to ") + base};
  }
  return {};
}

std::string english_object(const Clause& clause) {
  if (clause.quality) return (clause.very ? "very " : "") + clause.quality->english;
  return clause.object ? clause.object->english_object : "";
}

std::string english_adjunct(const Clause& clause) {
  return clause.place ? join({clause.preposition->english, clause.place->english_object}) : "";
}

std::string english_sentence(const Clause& clause) {
  if (clause.request)
    return join({clause.please ? "please" : "", clause.negative ? "do not" : "", clause.verb->english[0],
                 clause.verb->particle, english_object(clause), english_adjunct(clause)});
  std::string front = clause.question ? clause.question->english : "";
  std::string subject = clause.subject->english, object = english_object(clause);
  if (clause.there) {
    (clause.subject->asks ? front : object) = subject;
    subject = "there";
  }
  if (clause.object && clause.object->asks) std::swap(front, object);
  const bool inverted = clause.yes_no || !front.empty();
  const auto [auxiliary, main] = english_verb(clause, inverted || clause.negative);
  const bool cannot = clause.negative && auxiliary == "can";
  const std::string rest = join({clause.negative && !cannot ? "not" : "", main, clause.verb->particle, object,
                                 english_adjunct(clause), clause.time ? clause.time->english : ""});
  return inverted ? join({front, auxiliary, subject, rest})
                  : join({subject, cannot ? "cannot" : auxiliary, rest});
}

// Hindi.

/// Forms that alone show the verb's number mark it on feminines as well: padhi, padhin; thi, thin. A stem in -iy drops
/// it before -i: kiya, ki.
std::string finite(std::string stem, Agreement agreement) {
  const bool plural = agreement.number == Number::plural;
  if (agreement.gender == Gender::masculine) return stem + (plural ? "e" : "a");
  if (stem.ends_with("iy")) stem.resize(stem.size() - 2);
  return stem + (plural ? "in" : "i");
}

/// The future: -oonga for `main`, else -ga, -gi (singular), -nge, -ngi (plural) after the stem and -e: padhega.
std::string future(const std::string& stem, Agreement agreement) {
  if (agreement.first_person) return (stem == "ho" ? "h" : stem) + "oonga";
  const std::string vowel = stem == "ho" ? "" : stem.ends_with("aa") ? "ye" : "e";
  const std::string nasal = agreement.number == Number::plural ? "n" : "";
  const std::string ending = agreement.gender == Gender::feminine ? "gi"  : nasal.empty() ? "ga" : "ge";
  return stem + vowel + nasal + ending;
}

/// An animate object of an action takes `ko`; other objects stay in the direct case.
bool marked(const Clause& clause) {
  return clause.verb->past_subject == Case::ergative && clause.verb->subject == Case::direct &&
         (clause.object->kind & (person | animal)) != 0;
}

/// Agreement of the Hindi verb. After an ergative subject: the object if unmarked, else nothing (masculine singular) or
/// the noun inside a compound verb (usne baat ki).
Agreement verb_agreement(const Clause& clause) {
  const Verb& verb = *clause.verb;
  if (verb.subject != Case::direct) return clause.object->agreement;
  if (tense_of(clause) != Tense::past || verb.past_subject == Case::direct) return clause.subject->agreement;
  if (!clause.object) return {verb.inner};
  return marked(clause) ? Agreement{} : clause.object->agreement;
}

/// The Hindi verb phrase: main verb, then auxiliaries; `nahin` before the finite part with the meaning.
std::string hindi_verb(const Clause& clause) {
  const Agreement agreement = verb_agreement(clause);
  const auto [root, word, past, future_stem, request] = stems_of(*clause.verb);
  const std::string no = clause.negative || clause.subject->none() || (clause.object && clause.object->none()) ? "nahin" : "";
  const std::string now = hona(agreement), was = finite("th", agreement);
  if (root == "chaahiye") return join({no, root});
  switch (tense_of(clause)) {
    case Tense::present:
      return root == "ho" ? join({no, now}) : join({no, agree(std::string(root) + "t-", agreement), now});
    case Tense::progressive:
      return join({no, word, agree("rah-", agreement), now});
    case Tense::past_progressive:
      return join({no, word, agree("rah-", agreement), was});
    case Tense::past:
      return join({no, root == "ho" ? was : finite(std::string(past), agreement)});
    case Tense::future:
      return join({no, future(std::string(future_stem), agreement)});
    case Tense::can:
      return join({no, word, agree("sakt-", agreement), now});
    case Tense::want:
      return join({std::string(root) + "na", no, agree("chaaht-", agreement), now});
  }
  return {};
}

/// `apna` replaces a possessive that means the subject; the possessive is the first word of its phrase.
std::string reflexive(const std::string& hindi, const NounPhrase& phrase, const NounPhrase& subject) {
  if (phrase.owner == Owner::none || phrase.owner != subject.self) return hindi;
  return "apn" + hindi.substr(hindi.find(' ') - 1);
}

std::string hindi_subject(const Clause& clause) {
  const NounPhrase& subject = *clause.subject;
  const Verb& verb = *clause.verb;
  if (verb.subject == Case::genitive) {  // meri bahan hai; mere paas kitaab hai
    const bool relative = clause.object->kind == person;
    return relative ? agree(subject.form(Case::genitive), clause.object->agreement)
                    : agree(subject.form(Case::genitive), {}, true) + " paas";
  }
  if (verb.subject == Case::direct && tense_of(clause) == Tense::past) return subject.form(verb.past_subject);
  return subject.form(verb.subject);
}

std::string hindi_object(const Clause& clause) {
  if (clause.quality) return (clause.very ? "bahut " : "") + agree(clause.quality->hindi, clause.subject->agreement);
  if (!clause.object) return "";
  return reflexive(clause.object->form(marked(clause) ? Case::dative : Case::direct), *clause.object, *clause.subject);
}

std::string hindi_adjunct(const Clause& clause) {
  if (!clause.place) return "";
  const auto& [english, hindi, governs] = *clause.preposition;
  const std::string form =
      agree(clause.place->form(english == "to" ? clause.verb->to : governs), {}, governs == Case::genitive);
  return reflexive(join({form, hindi}), *clause.place, *clause.subject);
}

std::string hindi_sentence(const Clause& clause) {
  const std::string object = hindi_object(clause), adjunct = hindi_adjunct(clause);
  if (clause.request)
    return join({clause.please ? "kripaya" : "", adjunct, object, clause.verb->element, clause.negative ? "mat" : "",
                 std::string(stems_of(*clause.verb).request) + "iye"});
  // A question word precedes the verb, even as the subject. Existence has the place first.
  const bool late = clause.subject->asks || clause.there;
  const std::string subject = hindi_subject(clause);
  const Agreement asked = is(clause, "be") ? clause.subject->agreement : Agreement{.number = Number::plural};
  return join({clause.yes_no ? "kya" : "", late ? "" : subject, clause.time ? clause.time->hindi : "", adjunct, object,
               late ? subject : "", clause.question ? agree(clause.question->hindi, asked) : "",
               clause.verb->element, hindi_verb(clause)});
}

// Rules of well-formed clauses.

/// True for one `i` and one `we`: usage wavers between apna and mera, hamaara.
bool overlap(Owner a, Owner b) { return (a == Owner::i && b == Owner::we) || (a == Owner::we && b == Owner::i); }

/// True if the subject acts on itself or on its own, and the language has several ways to say it, or a strange one.
bool confused(const NounPhrase& subject, const NounPhrase& other) {
  if (overlap(subject.self, other.owner) || overlap(subject.self, other.self)) return true;
  return subject.self == Owner::third ? other.owner == Owner::third : other.self == subject.self;
}

bool natural_object(const Clause& clause) {
  const NounPhrase& subject = *clause.subject;
  const NounPhrase& object = *clause.object;
  if (confused(subject, object) || object.english == subject.english) return false;
  if (clause.negative && !object.definite) return false;
  // "they read those books" would be `ve ve kitaaben`.
  const std::string& direct = subject.form(Case::direct);
  if (clause.verb->subject == Case::direct && object.form(Case::direct).starts_with(direct + ' ')) return false;
  // "i have books" needs a number or `the`.
  if (is(clause, "have") && object.plural() && object.english.find(' ') == std::string::npos) return false;
  // "do you have a sister" would need koi in Hindi; "is this a book" is left out.
  const bool any = !object.definite && (is(clause, "be") || (object.kind == person && !object.plural()));
  return !(clause.yes_no && (object.none() || any));
}

bool natural_adjunct(const Clause& clause) {
  const NounPhrase& place = *clause.place;
  if (confused(*clause.subject, place) || place.english_object == clause.subject->english) return false;
  // A question for the place cannot also state it.
  if (clause.question && clause.question->english == "where") return false;
  const bool furniture = place.english == "the table" || place.english == "the chair";
  if (!furniture) return true;
  const bool small = (clause.subject->kind & (animal | text | fruit | food)) != 0;
  return is(clause, "be") ? small || clause.subject->asks : is(clause, "write") || is(clause, "rest");
}

}  // namespace

Clauses operator*(const Clauses& first, const Clauses& second) {
  Clauses product;
  product.reserve(first.size() * second.size());
  for (const Clause& a : first)
    for (const Clause& b : second) {
      Clause& both = product.emplace_back(a);
      const auto take = [&](auto... parts) { ((b.*parts ? void(both.*parts = b.*parts) : void()), ...); };
      take(&Clause::subject, &Clause::verb, &Clause::object, &Clause::quality, &Clause::preposition, &Clause::place,
           &Clause::time, &Clause::question, &Clause::tense, &Clause::negative, &Clause::yes_no, &Clause::very,
           &Clause::there, &Clause::request, &Clause::please);
    }
  return product;
}

bool well_formed(const Clause& clause) {
  if (clause.object && !natural_object(clause)) return false;
  if (clause.place && !natural_adjunct(clause)) return false;
  if (clause.quality && !(clause.quality->kinds & clause.subject->kind)) return false;
  if (clause.yes_no && clause.subject->none()) return false;
  // "they read the book" is in the present; the past needs more words, as in "they read the book yesterday".
  const bool bare_past = tense_of(clause) == Tense::past && !clause.negative && !clause.yes_no && !clause.question &&
                         !clause.time && !(clause.object && clause.object->asks);
  return !(bare_past && clause.verb->english[0] == clause.verb->english[3] && !singular(*clause.subject));
}

ToyPair render(const Clause& clause) { return {english_sentence(clause), hindi_sentence(clause)}; }

std::string hona(Agreement agreement) {
  if (agreement.first_person) return "hoon";
  return agreement.number == Number::plural ? "hain" : "hai";
}

}  // namespace glossa::toy
