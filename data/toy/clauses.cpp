#include "data/toy/clauses.h"

namespace glossa::toy {
namespace {

bool is(const Clause& clause, std::string_view verb) { return clause.verb->english[0] == verb; }

/// True if one is `i` and the other `we`. Usage then varies between apna and mera or hamaara.
bool overlap(Owner a, Owner b) { return (a == Owner::i && b == Owner::we) || (a == Owner::we && b == Owner::i); }

/// True if a sentence with these phrases has several Hindi translations, or only a strange one: "he reads his book",
/// "i see me", "i read our book". The generator does not make such sentences.
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
  // "i have books" requires a number or `the`.
  if (is(clause, "have") && object.plural() && object.english.find(' ') == std::string::npos) return false;
  // "do you have a sister" would need koi in Hindi; "is this a book" is left out.
  const bool any = !object.definite && (is(clause, "be") || (object.kind == person && !object.plural()));
  return !(clause.yes_no && (object.none() || any));
}

bool natural_adjunct(const Clause& clause) {
  const NounPhrase& place = *clause.place;
  if (confused(*clause.subject, place) || place.english_object == clause.subject->english) return false;
  // A question for the place cannot also name the place.
  if (clause.question && clause.question->english == "where") return false;
  const bool furniture = place.english == "the table" || place.english == "the chair";
  if (!furniture) return true;
  const bool small = (clause.subject->kind & (animal | text | fruit | food)) != 0;
  return is(clause, "be") ? small || clause.subject->asks : is(clause, "write") || is(clause, "rest");
}

}  // namespace

Clauses operator*(const Clauses& first, const Clauses& second) {
  static const Clause empty;
  Clauses product;
  product.reserve(first.size() * second.size());
  for (const Clause& clause : first)
    for (const Clause& more : second) {
      Clause& both = product.emplace_back(clause);
      const auto take = [&](auto part) {
        if (more.*part != empty.*part) both.*part = more.*part;
      };
      const auto merge = [&](auto... parts) { (take(parts), ...); };
      merge(&Clause::subject, &Clause::verb, &Clause::object, &Clause::quality, &Clause::preposition, &Clause::place,
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
  // "they read the book" is in the present; in the past it needs more words, as in "they read the book yesterday".
  const auto& [base, third, ing, past] = clause.verb->english;
  const bool past_shows = base != past || clause.subject->conjugation == Conjugation::singular || clause.negative ||
                          clause.yes_no || clause.question || clause.time || (clause.object && clause.object->asks);
  return clause.tense != Tense::past || past_shows;
}

}  // namespace glossa::toy
