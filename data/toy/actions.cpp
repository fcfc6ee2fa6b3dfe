#include <fmt/core.h>

#include "data/toy/topics.h"

namespace glossa::toy {
namespace {

constexpr std::pair<Tense, const char*> all_tenses[] = {
    {Tense::habitual, "habitual"}, {Tense::progressive, "progressive"},
    {Tense::past, "past"},         {Tense::past_progressive, "past progressive"},
    {Tense::future, "future"},     {Tense::can, "can"},
    {Tense::want, "want"}};

/// Pronouns, plus a subject for the feminine plural.
NounPhrases pronouns_and_mother() {
  NounPhrases subjects = pronouns();
  subjects.push_back(noun_phrase("my", "mother"));
  return subjects;
}

/// "the boy does not read the book", "ladka kitaab nahin padhta hai": every subject, tense and polarity.
void statements(Collector& collector) {
  for (const auto& [tense, name] : all_tenses) {
    collector.topic(fmt::format("statements, {}", name));
    for (const Action& action : actions()) {
      collector.group(action.verb->english);
      for (const NounPhrase& subject : people())
        for (const bool negative : {false, true}) {
          Clause clause = clause_of(subject, action, tense);
          clause.negative = negative;
          collector.add(clause);
        }
    }
  }
}

/// "can she open the door", "kya vah darvaaza khol sakti hai".
void yes_no_questions(Collector& collector) {
  collector.topic("yes-no questions");
  for (const Action& action : actions()) {
    collector.group(action.verb->english);
    for (const NounPhrase& subject : some_people())
      for (const auto& [tense, name] : all_tenses) {
        Clause clause = clause_of(subject, action, tense);
        clause.mood = Mood::yes_no;
        collector.add(clause);
      }
  }
}

/// "when will they come from the city", "ve shahar se kab aayenge". Only `why` allows negation.
void adverb_questions(Collector& collector) {
  collector.topic("adverb questions");
  const Phrases questions = {{"where", "kahaan"}, {"when", "kab"}, {"why", "kyon"}, {"how", "kaise"}};
  for (const Action& action : actions()) {
    collector.group(action.verb->english);
    for (const NounPhrase& subject : some_people())
      for (const Tense tense : {Tense::habitual, Tense::past, Tense::future})
        for (const Phrase& question : questions)
          for (const bool negative : {false, true}) {
            if (negative && question.english != "why") continue;
            // A question for the destination cannot also state it.
            if (question.english == "where" && !action.adjunct.english.empty()) continue;
            Clause clause = clause_of(subject, action, tense);
            clause.question = question;
            clause.negative = negative;
            collector.add(clause);
          }
  }
}

/// "what is my mother making", "meri maataji kya bana rahi hain"; "who closed the window", "khidki kisne band ki".
void argument_questions(Collector& collector) {
  collector.topic("what questions");
  for (const std::string_view word :
       {"read", "write", "eat", "drink", "look", "buy", "open", "make", "clean", "close", "do"}) {
    collector.group(std::string(word));
    for (const NounPhrase& subject : people())
      for (const auto& [tense, name] : all_tenses)
        collector.add({.subject = &subject, .verb = &verb(word), .tense = tense, .question = {"what", "kya"}});
  }

  collector.topic("who questions");
  for (const Action& action : actions())
    for (const auto& [tense, name] : all_tenses) collector.add(clause_of(who(), action, tense));
}

/// "i will go to the market tomorrow", "main kal baazaar jaaoonga": every adverb has its tenses; kal is both yesterday
/// and tomorrow.
void times(Collector& collector) {
  collector.topic("times");
  const std::pair<Phrase, Tense> adverbs[] = {
      {{"every day", "roz"}, Tense::habitual}, {{"now", "abhi"}, Tense::progressive},
      {{"yesterday", "kal"}, Tense::past},     {{"tomorrow", "kal"}, Tense::future},
      {{"today", "aaj"}, Tense::past},         {{"today", "aaj"}, Tense::future},
  };
  for (const Action& action : actions()) {
    collector.group(action.verb->english);
    for (const NounPhrase& subject : some_people())
      for (const auto& [adverb, tense] : adverbs)
        for (const bool negative : {false, true}) {
          Clause clause = clause_of(subject, action, tense);
          clause.time = adverb;
          clause.negative = negative;
          collector.add(clause);
        }
  }
}

/// "she bought three mangoes", "usne teen aam khareede": objects with every determiner.
void counted_objects(Collector& collector) {
  const NounPhrases subjects = pronouns_and_mother();
  for (const auto& [tense, name] : all_tenses) {
    if (tense == Tense::past_progressive || tense == Tense::can || tense == Tense::want) continue;
    collector.topic(fmt::format("determined objects, {}", name));
    for (const Deed& deed : deeds())
      for (const Noun* noun : deed.objects) {
        collector.group(deed.verb->english + gender_name(noun->gender));
        for (const NounPhrase& object : determined(*noun))
          for (const NounPhrase& subject : subjects)
            for (const bool negative : {false, true})
              collector.add(
                  {.subject = &subject, .verb = deed.verb, .tense = tense, .object = &object, .negative = negative});
      }
  }
}

/// "we are reading a new book", "ham ek nayi kitaab padh rahe hain": objects with adjectives.
void described_objects(Collector& collector) {
  for (const auto& [tense, name] : all_tenses) {
    if (tense != Tense::past && tense != Tense::future) continue;
    collector.topic(fmt::format("described objects, {}", name));
    for (const Deed& deed : deeds())
      for (const Noun* object : deed.objects)
        for (const Adjective& adjective : adjectives()) {
          if ((adjective.kinds & object->kind) == 0) continue;
          collector.group(adjective.english + gender_name(object->gender));
          for (const std::string_view word : {"the", "a", "my", "those"}) {
            const Determiner& before = determiner(word);
            if (!fits(before, *object, before.number())) continue;
            const NounPhrase phrase = noun_phrase(before, *object, before.number(), &adjective);
            for (const NounPhrase& subject : pronouns())
              collector.add({.subject = &subject, .verb = deed.verb, .tense = tense, .object = &phrase});
          }
        }
  }
}

/// "i will come from my village", "main apne gaanv se aaoonga": going home, coming from there, running there.
void ways(Collector& collector) {
  collector.topic("ways");
  const NounPhrases subjects = pronouns_and_mother();
  for (const std::string_view word : {"house", "school", "city", "village", "shop"})
    for (const std::string_view determiner : {"the", "my", "our", "your", "their"}) {
      const NounPhrase place = noun_phrase(determiner, word);
      for (const NounPhrase& subject : subjects)
        for (const Tense tense : {Tense::past, Tense::future})
          for (const bool negative : {false, true}) {
            const auto add = [&](std::string_view verb_word, const Phrase& way) {
              collector.group(std::string(verb_word));
              collector.add({.subject = &subject,
                             .verb = &verb(verb_word),
                             .tense = tense,
                             .negative = negative,
                             .adjunct = way});
            };
            add("go", destination(place));
            add("come", destination(place));
            add("come", adpositional("from", place));
            add("run", adpositional("in", place));
          }
    }
}

/// "the small girls opened the door", "chhoti ladkiyon ne darvaaza khola": adjectives in the oblique.
void described_subjects(Collector& collector) {
  collector.topic("described subjects");
  for (const std::string_view word : {"boy", "girl", "man", "woman", "child"})
    for (const Adjective& adjective : adjectives()) {
      if ((adjective.kinds & person) == 0) continue;
      for (const Number number : {Number::singular, Number::plural}) {
        const NounPhrase subject = noun_phrase(determiner("the"), noun(word), number, &adjective);
        for (const Action& action : actions()) {
          collector.group(action.verb->english);
          for (const Tense tense : {Tense::progressive, Tense::past}) collector.add(clause_of(subject, action, tense));
        }
      }
    }
}

/// "do the children read in the garden", "kya bacche bageeche mein padhte hain".
void places(Collector& collector) {
  collector.topic("places");
  Phrases spots;
  for (const std::string_view word : {"house", "room", "garden", "school", "shop", "village"})
    for (const std::string_view determiner : {"the", "this", "my", "our", "your"})
      spots.push_back(adpositional("in", noun_phrase(determiner, word)));
  for (const std::string_view word : {"table", "chair"}) spots.push_back(adpositional("on", noun_phrase("the", word)));
  spots.push_back(adpositional("under", noun_phrase("the", "tree")));
  for (const std::string_view word : {"read", "write", "eat", "work", "rest", "run"}) {
    collector.group(std::string(word));
    for (const NounPhrase& subject : some_people())
      for (const Phrase& spot : spots) {
        const bool furniture = spot.english.starts_with("on");
        if (furniture && word != "write" && word != "rest") continue;
        for (const Tense tense : plain_tenses)
          collector.add({.subject = &subject, .verb = &verb(word), .tense = tense, .adjunct = spot});
      }
  }
}

}  // namespace

void add_actions(Collector& collector) {
  statements(collector);
  yes_no_questions(collector);
  adverb_questions(collector);
  argument_questions(collector);
  times(collector);
  counted_objects(collector);
  described_objects(collector);
  ways(collector);
  described_subjects(collector);
  places(collector);
}

}  // namespace glossa::toy
