#include "data/toy/topics.h"

namespace glossa::toy {
namespace {

/// Things to have, want and like, with these determiners.
NounPhrases goods(std::initializer_list<std::string_view> determiner_words, unsigned kinds = belongings) {
  NounPhrases phrases;
  for (const Noun& noun : nouns()) {
    if ((noun.kind & kinds) == 0) continue;
    if (noun.english == "door" || noun.english == "window" || noun.english == "tree") continue;
    for (const std::string_view word : determiner_words)
      for (const Number number : {Number::singular, Number::plural})
        if (fits(determiner(word), noun, number)) phrases.push_back(noun_phrase(determiner(word), noun, number));
  }
  return phrases;
}

struct EnglishForms {
  std::string_view base, third, past;
};

/// The Hindi around the thing: its owner or experiencer, and the verb, possibly preceded by an element.
struct HindiForms {
  std::string whose, element, finite;
};

/// Adds a clause whose Hindi makes the English subject a possessor or a dative; `nahin` precedes the finite verb.
void experience(Collector& collector, const NounPhrase& subject, const EnglishForms& verb, bool past,
                const NounPhrase& thing, const HindiForms& forms) {
  const bool singular = subject.conjugation == Conjugation::singular;
  const std::string_view finite = past ? verb.past : singular ? verb.third : verb.base;
  const std::string_view auxiliary = past ? "did" : singular ? "does" : "do";
  const bool none = thing.english.starts_with("no ");
  const auto hindi = [&](std::string_view question, std::string_view no) {
    return join({question, forms.whose, thing.direct, forms.element, no, forms.finite});
  };
  collector.add({join({subject.english, finite, thing.english_object}), hindi("", none ? "nahin" : "")});
  // "do you have a sister" would need koi in Hindi; it is left out.
  if (none || (thing.kind == person && thing.english.starts_with("a "))) return;
  collector.add({join({auxiliary, subject.english, verb.base, thing.english_object}), hindi("kya", "")});
  if (thing.definite)
    collector.add({join({subject.english, auxiliary, "not", verb.base, thing.english_object}), hindi("", "nahin")});
}

/// Things are near one (`ke paas`): mere paas ek kitaab hai. Relatives are one's own (genitive): meri do bahanen hain.
void having(Collector& collector) {
  constexpr EnglishForms have = {"have", "has", "had"};
  collector.topic("having things");
  for (const NounPhrase& subject : some_people())
    for (const NounPhrase& thing : goods({"a", "no", "the", "this", "", "two", "three", "four", "five", "many"})) {
      if (thing.english.ends_with("s") && thing.english.find(' ') == std::string::npos) continue;  // no bare plural
      for (const bool past : {false, true})
        experience(collector, subject, have, past, thing,
                   {subject.genitive + "e paas", "", hindi_be(past ? Being::past : Being::present, thing.agreement)});
    }

  collector.topic("how many one has");
  for (const NounPhrase& subject : some_people())
    for (const NounPhrase& thing : goods({""})) {
      if (thing.conjugation != Conjugation::plural) continue;
      const bool singular = subject.conjugation == Conjugation::singular;
      collector.add({join({"how many", thing.english, singular ? "does" : "do", subject.english, "have"}),
                     join({subject.genitive + "e paas", agree("kitn", thing.agreement), thing.direct, "hain"})});
    }

  collector.topic("having relatives");
  for (const NounPhrase& subject : some_people())
    for (const std::string_view which : {"a", "no", "two", "three", "four", "five", "many"})
      for (const std::string_view word : {"friend", "brother", "sister"}) {
        const NounPhrase relative = noun_phrase(determiner(which), noun(word), determiner(which).number());
        experience(collector, subject, have, false, relative,
                   {agree(subject.genitive, relative.agreement), "", hindi_be(Being::present, relative.agreement)});
      }
}

/// Wanting and liking happen to one (dative): mujhe paani chaahiye, kya aapko aam pasand hain.
void wanting_and_liking(Collector& collector) {
  collector.topic("wanting");
  for (const NounPhrase& subject : some_people()) {
    const bool singular = subject.conjugation == Conjugation::singular;
    collector.add(
        {join({"what", singular ? "does" : "do", subject.english, "want"}), join({subject.dative, "kya chaahiye"})});
    for (const NounPhrase& thing : goods({"the", "a", "this", "that", "these", "two", "three", "four"}))
      experience(collector, subject, {"want", "wants", ""}, false, thing, {subject.dative, "", "chaahiye"});
  }
  collector.topic("liking");
  for (const NounPhrase& subject : some_people())
    for (const NounPhrase& thing : goods({"", "the", "this", "that", "these", "those"}, belongings | tale))
      experience(collector, subject, {"like", "likes", ""}, false, thing,
                 {subject.dative, "pasand", hindi_be(Being::present, thing.agreement)});
}

}  // namespace

void add_having(Collector& collector) {
  having(collector);
  wanting_and_liking(collector);
}

}  // namespace glossa::toy
