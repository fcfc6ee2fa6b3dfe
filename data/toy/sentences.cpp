#include <utility>

#include "data/toy/clauses.h"

namespace glossa::toy {
namespace {

// ---- English ----

/// The English auxiliary (empty if not needed) and main verb. Questions and negation need an auxiliary; if there is no
/// other, it is `do`.
std::pair<std::string, std::string> english_verb(const Clause& clause, bool needs_auxiliary) {
  const auto& [base, third, ing, past] = clause.verb->english;
  const Conjugation conjugation = clause.subject->conjugation;
  const bool singular = conjugation == Conjugation::singular, plural = conjugation == Conjugation::plural;
  const std::string is = singular ? "is" : plural ? "are" : "am", was = plural ? "were" : "was";
  const std::string want_to = singular && !needs_auxiliary ? "wants to " : "want to ";
  const Tense tense = clause.tense;
  if (tense == Tense::progressive) return {is, ing};
  if (tense == Tense::past_progressive) return {was, ing};
  if (tense == Tense::future) return {"will", base};
  if (tense == Tense::can) return {"can", base};
  if (base == "be") return {tense == Tense::past ? was : is, ""};
  if (tense == Tense::past) return needs_auxiliary ? std::pair{"did", base} : std::pair{"", past};
  const std::string does = !needs_auxiliary ? "" : singular ? "does" : "do";
  if (tense == Tense::want) return {does, want_to + base};
  return {does, singular && !needs_auxiliary ? third : base};
}

std::string english_sentence(const Clause& clause) {
  const auto& [base, third, ing, past] = clause.verb->english;
  const std::string& particle = clause.verb->particle;
  const std::string adjunct = clause.place ? join({clause.preposition->english, clause.place->english_object}) : "";
  std::string object = clause.object ? clause.object->english_object : "";
  if (clause.quality) object = (clause.very ? "very " : "") + clause.quality->english;
  if (clause.request)
    return join({clause.please ? "please" : "", clause.negative ? "do not" : "", base, particle, object, adjunct});

  std::string question = clause.question ? clause.question->english : "", subject = clause.subject->english;
  if (clause.object && clause.object->asks) std::swap(question, object);  // what is he making
  if (clause.there) {                                                     // how many books are there; there is a book
    (clause.subject->asks ? question : object) = subject;
    subject = "there";
  }
  const bool inverted = clause.yes_no || !question.empty();
  auto [auxiliary, main] = english_verb(clause, inverted || clause.negative);
  std::string no = clause.negative ? "not" : "";
  if (clause.negative && auxiliary == "can") auxiliary = "cannot", no = "";
  const std::string time = clause.time ? clause.time->english : "";
  return join({question, inverted ? auxiliary : subject, inverted ? subject : auxiliary, no, main, particle, object,
               adjunct, time});
}

// ---- Hindi ----

/// A form without an auxiliary. Its ending alone shows the number, also on feminines: padhi, padhin; thi, thin. A stem
/// in -iy loses these letters before -i: kiya, ki.
std::string finite(std::string stem, Agreement agreement) {
  const bool plural = agreement.number == Number::plural;
  if (agreement.gender == Gender::masculine) return stem + (plural ? "e" : "a");
  if (stem.ends_with("iy")) stem.resize(stem.size() - 2);
  return stem + (plural ? "in" : "i");
}

/// The future: padhoonga, padhega, padhegi, padhenge, padhengi; khaayega; hoonga, hoga.
std::string future(const std::string& stem, Agreement agreement) {
  if (agreement.first_person) return (stem == "ho" ? "h" : stem) + "oonga";
  const std::string vowel = stem == "ho" ? "" : stem.ends_with("aa") ? "ye" : "e";
  const bool plural = agreement.number == Number::plural;
  return stem + vowel + (plural ? "n" : "") + agree("g-", agreement);
}

/// An animate object of an action takes `ko`; other objects stay in the direct case.
bool marked(const Clause& clause) {
  const bool action = clause.verb->subject == Case::direct && clause.verb->past_subject == Case::ergative;
  return action && (clause.object->kind & (person | animal));
}

/// Case of the subject. A possessor is in the genitive.
Case subject_case(const Clause& clause) {
  const Verb& verb = *clause.verb;
  return clause.tense == Tense::past && verb.subject == Case::direct ? verb.past_subject : verb.subject;
}

/// Agreement of the verb: with the subject in the direct case; otherwise with an unmarked object; otherwise with
/// nothing (masculine singular) or with the noun inside a compound verb (usne baat ki).
Agreement verb_agreement(const Clause& clause) {
  if (subject_case(clause) == Case::direct) return clause.subject->agreement;
  if (!clause.object) return {clause.verb->inner};
  return marked(clause) ? Agreement{} : clause.object->agreement;
}

/// The Hindi verb phrase: main verb, then auxiliaries; `nahin` precedes the main verb, or chaahna (to want).
std::string hindi_verb(const Clause& clause) {
  const Agreement agreement = verb_agreement(clause);
  const auto [root, word, past, future_stem, request] = stems_of(*clause.verb);
  const bool none = clause.subject->none() || (clause.object && clause.object->none());
  const std::string no = clause.negative || none ? "nahin" : "";
  const bool plural = agreement.number == Number::plural;
  const std::string is = agreement.first_person ? "hoon" : plural ? "hain" : "hai", was = finite("th", agreement);
  const Tense tense = clause.tense;
  if (root == "chaahiye") return join({no, root});
  if (root == "ho" && tense != Tense::future) return join({no, tense == Tense::past ? was : is});
  if (tense == Tense::present) return join({no, agree(root + "t-", agreement), is});
  if (tense == Tense::past) return join({no, finite(past, agreement)});
  if (tense == Tense::future) return join({no, future(future_stem, agreement)});
  if (tense == Tense::can) return join({no, word, agree("sakt-", agreement), is});
  if (tense == Tense::want) return join({root + "na", no, agree("chaaht-", agreement), is});
  return join({no, word, agree("rah-", agreement), tense == Tense::progressive ? is : was});
}

/// Replaces a possessive that denotes the subject with `apna`. The possessive is the first word of its phrase.
std::string reflexive(const std::string& hindi, const NounPhrase& phrase, const NounPhrase& subject) {
  if (phrase.owner == Owner::none || phrase.owner != subject.self) return hindi;
  return "apn" + hindi.substr(hindi.find(' ') - 1);
}

std::string hindi_subject(const Clause& clause) {
  const std::string& form = clause.subject->form(subject_case(clause));
  if (clause.verb->subject != Case::genitive) return form;
  if (clause.object->kind == person) return agree(form, clause.object->agreement);  // meri bahan hai
  return agree(form, {}, true) + " paas";                                           // mere paas kitaab hai
}

std::string hindi_object(const Clause& clause) {
  if (clause.quality) return (clause.very ? "bahut " : "") + agree(clause.quality->hindi, clause.subject->agreement);
  if (!clause.object) return "";
  return reflexive(clause.object->form(marked(clause) ? Case::dative : Case::direct), *clause.object, *clause.subject);
}

std::string hindi_adjunct(const Clause& clause) {
  if (!clause.place) return "";
  const auto& [english, hindi, governs] = *clause.preposition;
  const std::string form = clause.place->form(english == "to" ? clause.verb->to : governs);
  return reflexive(join({agree(form, {}, true), hindi}), *clause.place, *clause.subject);
}

std::string hindi_sentence(const Clause& clause) {
  const std::string& element = clause.verb->element;
  const std::string adjunct = hindi_adjunct(clause), object = hindi_object(clause);
  if (clause.request)
    return join({clause.please ? "kripaya" : "", adjunct, object, element, clause.negative ? "mat" : "",
                 stems_of(*clause.verb).request + "iye"});

  const std::string subject = hindi_subject(clause), time = clause.time ? clause.time->hindi : "";
  const bool late = clause.subject->asks || clause.there;  // the place is first: bageeche mein kaun hai
  const bool be = clause.verb->english[0] == "be";         // aap kaise hain; kaise padhte hain
  const Agreement asked = be ? clause.subject->agreement : Agreement{.number = Number::plural};
  return join({clause.yes_no ? "kya" : "", late ? "" : subject, time, adjunct, object, late ? subject : "",
               clause.question ? agree(clause.question->hindi, asked) : "", element, hindi_verb(clause)});
}

}  // namespace

ToyPair render(const Clause& clause) { return {english_sentence(clause), hindi_sentence(clause)}; }

}  // namespace glossa::toy
