#include "data/toy/topics.h"

namespace glossa::toy {
namespace {

/// "i gave two books to her", "maine use do kitaaben din": the receiver in the dative, before the object.
void giving(Collector& collector) {
  collector.topic("giving");
  for (const NounPhrase& subject : some_people())
    for (const std::string_view word : {"book", "letter", "apple", "mango", "flower", "milk"})
      for (const std::string_view which : {"the", "a", "those", "two"}) {
        const Determiner& before = determiner(which);
        if (!fits(before, noun(word), before.number())) continue;
        const NounPhrase gift = noun_phrase(before, noun(word), before.number());
        for (const NounPhrase& companion : companions())
          for (const Tense tense : {Tense::past, Tense::future})
            collector.add({.subject = &subject,
                           .verb = &verb("give"),
                           .tense = tense,
                           .object = &gift,
                           .adjunct = receiver(companion)});
      }
}

/// "is she talking to them", "kya vah unse baat kar rahi hai"; "look at me" takes `ko`: mujhe dekhna.
void talking_and_looking(Collector& collector) {
  for (const std::string_view word : {"talk", "look"}) {
    collector.topic(word == "talk" ? "talking" : "looking");
    for (const NounPhrase& subject : people())
      for (const NounPhrase& companion : companions())
        for (const Tense tense : {Tense::habitual, Tense::progressive, Tense::past, Tense::future})
          for (const bool negative : {false, true})
            collector.add({.subject = &subject,
                           .verb = &verb(word),
                           .tense = tense,
                           .object = word == "look" ? &companion : nullptr,
                           .negative = negative,
                           .adjunct = word == "talk" ? hearer(companion) : Phrase{}});
  }
}

/// "he works with my friend", "vah mere dost ke saath kaam karta hai".
void company(Collector& collector) {
  collector.topic("company");
  for (const NounPhrase& subject : some_people())
    for (const std::string_view word : {"go", "come", "work", "eat", "read", "run", "rest"})
      for (const NounPhrase& companion : companions())
        for (const Tense tense : plain_tenses)
          collector.add(
              {.subject = &subject, .verb = &verb(word), .tense = tense, .adjunct = adpositional("with", companion)});
}

/// "my father is making tea for us", "mere pitaji hamaare liye chaay bana rahe hain".
void favours(Collector& collector) {
  collector.topic("favours");
  for (const NounPhrase& subject : pronouns())
    for (const Deed& deed : deeds()) {
      if (deed.verb->english != "buy" && deed.verb->english != "make") continue;
      for (const Noun* object : deed.objects)
        for (const std::string_view word : {"the", "a"}) {
          if (!fits(determiner(word), *object, Number::singular)) continue;
          const NounPhrase phrase = noun_phrase(determiner(word), *object, Number::singular);
          for (const NounPhrase& companion : companions())
            for (const Tense tense : {Tense::progressive, Tense::past})
              collector.add({.subject = &subject,
                             .verb = deed.verb,
                             .tense = tense,
                             .object = &phrase,
                             .adjunct = adpositional("for", companion)});
        }
    }
}

/// "please do not close the window", "kripaya khidki band mat keejiye". The addressee is `aap`.
void requests(Collector& collector) {
  collector.topic("requests");
  const auto request = [&](const Verb& verb, const NounPhrase* object, const Phrase& adjunct) {
    if (adjunct.self == Owner::you) return;
    collector.group(verb.english);
    for (const bool please : {false, true})
      for (const bool negative : {false, true})
        if (!negative || object == nullptr || object->definite)
          collector.add(imperative(verb, object, adjunct, please, negative));
  };
  for (const Action& action : actions())
    request(*action.verb, action.object ? &*action.object : nullptr, action.adjunct);
  for (const Deed& deed : deeds())
    for (const Noun* noun : deed.objects)
      for (const NounPhrase& object : determined(*noun)) request(*deed.verb, &object, {});
  for (const NounPhrase& companion : companions()) {
    request(verb("talk"), nullptr, hearer(companion));
    for (const std::string_view word : {"go", "come", "work", "eat", "read", "run", "rest"})
      request(verb(word), nullptr, adpositional("with", companion));
    for (const std::string_view word : {"book", "letter", "apple", "flower", "milk", "tea", "water"}) {
      const NounPhrase gift = noun_phrase("the", word);
      request(verb("give"), &gift, receiver(companion));
    }
  }
}

}  // namespace

void add_dealings(Collector& collector) {
  giving(collector);
  talking_and_looking(collector);
  company(collector);
  favours(collector);
  requests(collector);
}

/// "good morning brother how are you", "suprabhaat bhaai aap kaise ho". The greeting "how are you" keeps the familiar
/// `ho`; everywhere else `aap` takes `hain`.
void add_greetings(Collector& collector) {
  collector.topic("greetings");
  const Phrases greetings = {
      {"", ""}, {"hello", "namaste"}, {"good morning", "suprabhaat"}, {"thank you", "dhanyavaad"}};
  Phrases addressees = {{"", ""}, {"world", "vishva"}, {"my friend", "mere dost"}};
  for (const std::string_view word : {"brother", "sister", "father", "mother", "grandmother"})
    addressees.push_back({std::string(word), noun(word).direct});
  for (const NounPhrase& phrase : names()) addressees.push_back({phrase.english, phrase.direct});
  Phrases questions = {{"", ""},
                       {"how are you", "aap kaise ho"},
                       {"how are you now", "aap abhi kaise ho"},
                       {"how are you today", "aap aaj kaise ho"},
                       {"where are you", "aap kahaan hain"},
                       {"where are you going", "aap kahaan ja rahe hain"},
                       {"what are you doing", "aap kya kar rahe hain"}};
  for (const std::string_view word : {"friend", "brother", "sister", "father", "mother", "grandmother", "teacher"}) {
    const NounPhrase relative = noun_phrase("your", word);
    questions.push_back({"how is " + relative.english, join({relative.direct, agree("kais", relative.agreement),
                                                             hindi_be(Being::present, relative.agreement)})});
  }
  for (const Phrase& greeting : greetings)
    for (const Phrase& addressee : addressees)
      for (const Phrase& question : questions) {
        if (greeting.english == "thank you" && !question.english.empty()) continue;
        const std::string english = join({greeting.english, addressee.english, question.english});
        if (english.find(' ') != std::string::npos && !(greeting.english.empty() && question.english.empty()))
          collector.add({english, join({greeting.hindi, addressee.hindi, question.hindi})});
      }
  for (const Noun& noun : nouns()) {
    if ((noun.kind & (text | tale | fruit | food | flora)) == 0) continue;
    for (const std::string_view word : {"the", "this", "that"}) {
      const Phrase gift = adpositional("for", noun_phrase(determiner(word), noun, Number::singular));
      collector.add({"thank you " + gift.english, gift.hindi + " dhanyavaad"});
    }
  }
}

}  // namespace glossa::toy
