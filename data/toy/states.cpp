#include <fmt/core.h>

#include "data/toy/topics.h"

namespace glossa::toy {
namespace {

constexpr Being beings[] = {Being::present, Being::past, Being::future};

/// Things with determiners: the flower, these chairs, my house.
NounPhrases things(unsigned kinds, std::initializer_list<std::string_view> words) {
  NounPhrases phrases;
  for (const Noun& noun : nouns()) {
    if ((noun.kind & kinds) == 0 || noun.english == "world") continue;
    for (const std::string_view word : words)
      for (const Number number : {Number::singular, Number::plural})
        if (fits(determiner(word), noun, number) && !(noun.honorific && number == Number::plural))
          phrases.push_back(noun_phrase(determiner(word), noun, number));
  }
  return phrases;
}

/// "the apples were very sweet", "seb bahut meethe the": the predicate agrees with the subject.
void qualities(Collector& collector) {
  const auto describe = [&](const NounPhrase& subject, Being being) {
    for (const Adjective& adjective : adjectives()) {
      if ((adjective.kinds & subject.kind) == 0) continue;
      collector.group(adjective.english + gender_name(subject.agreement.gender));
      const std::string hindi = agree(adjective, subject.agreement);
      collector.add(render(Copula{&subject, {adjective.english, hindi}, being}));
      collector.add(render(Copula{&subject, {adjective.english, hindi}, being, true}));
      collector.add(render(Copula{&subject, {adjective.english, hindi}, being, false, Mood::yes_no}));
      collector.add(render(Copula{&subject, {"very " + adjective.english, "bahut " + hindi}, being}));
    }
  };
  const std::pair<std::string, NounPhrases> topics[] = {
      {"pronouns with qualities", pronouns()},
      {"people with qualities", people()},
      {"things with qualities", things(belongings | tale | place, {"the", "this", "those", "my"})},
      {"the world", {noun_phrase("the", "world")}},
  };
  const std::pair<Being, const char*> tenses[] = {
      {Being::present, "present"}, {Being::past, "past"}, {Being::future, "future"}};
  for (const auto& [name, subjects] : topics)
    for (const auto& [being, tense] : tenses) {
      collector.topic(fmt::format("{}, {}", name, tense));
      for (const NounPhrase& subject : subjects) describe(subject, being);
    }
  collector.topic("relatives with qualities");
  for (const std::string_view relative : {"friend", "brother", "sister", "father", "mother", "teacher"})
    for (const std::string_view owner : {"boy", "girl", "man", "woman", "child", "boys", "girls", "women", "children"})
      describe(possession(noun_phrase("the", relative), noun_phrase("the", owner)), Being::present);
}

/// "how was your sister", "aapki bahan kaisi thi"; without i and you, whose greeting differs.
void states_asked(Collector& collector) {
  collector.topic("how");
  const auto ask = [&](const NounPhrase& subject) {
    if (subject.self == Owner::i || subject.self == Owner::you || !subject.definite) return;
    for (const Being being : {Being::present, Being::past})
      collector.add({join({"how", english_be(being, subject.conjugation), subject.english}),
                     join({subject.direct, agree("kais", subject.agreement), hindi_be(being, subject.agreement)})});
  };
  for (const NounPhrase& subject : people()) ask(subject);
  for (const NounPhrase& subject : things(belongings | place, {"the", "this", "those", "my", "your"})) ask(subject);
}

/// Demonstratives as pronouns. A respected person takes the plural: ye mere pitaji hain.
NounPhrase demonstrative(std::string_view word, const NounPhrase& shown) {
  NounPhrase phrase = name(std::string(word), "", Gender::masculine);
  const bool near = word == "this" || word == "these";
  phrase.direct = shown.agreement.number == Number::plural ? (near ? "ye" : "ve") : (near ? "yah" : "vah");
  phrase.agreement = shown.agreement;
  phrase.conjugation = shown.conjugation;
  return phrase;
}

/// "are those your books", "kya ve aapki kitaaben hain"; "whose house is that", "vah kiska ghar hai".
void identity(Collector& collector) {
  collector.topic("identity");
  const auto point_at = [&](const NounPhrase& shown) {
    const bool plural = shown.conjugation == Conjugation::plural;
    for (const std::string_view word : {plural ? "these" : "this", plural ? "those" : "that"}) {
      const NounPhrase subject = demonstrative(word, shown);
      const Phrase complement = {shown.english, shown.direct};
      collector.add(render(Copula{&subject, complement}));
      if (!shown.definite) continue;
      collector.add(render(Copula{&subject, complement, Being::present, true}));
      collector.add(render(Copula{&subject, complement, Being::present, false, Mood::yes_no}));
    }
  };

  for (const NounPhrase& shown : things(person | belongings | place, {"my", "our", "your", "his", "her", "their"}))
    point_at(shown);
  for (const NounPhrase& shown : things(animal | text | fruit | thing | flora | place, {"a"})) point_at(shown);
  for (const Noun& noun : nouns()) {
    if ((noun.kind & (text | thing | place)) == 0 || noun.mass()) continue;
    for (const NounPhrase& owner : people())
      if (owner.genitive.ends_with(" k") && owner.owner == Owner::none && owner.definite)
        point_at(possession(noun_phrase(determiner("the"), noun, Number::singular), owner));
    for (const Adjective& adjective : adjectives())
      if ((adjective.kinds & noun.kind) != 0)
        for (const std::string_view word : {"a", "my"})
          point_at(noun_phrase(determiner(word), noun, Number::singular, &adjective));
  }
}

struct Spot {
  Phrase phrase;
  bool furniture;  ///< only small things fit on or under it
};

std::vector<Spot> make_spots() {
  const std::vector<std::pair<std::string_view, std::vector<std::string_view>>> table = {
      {"in", {"room", "house", "garden", "city", "market", "school", "shop", "village", "car"}},
      {"on", {"table", "chair"}},
      {"under", {"table", "chair", "tree"}},
      {"near", {"house", "market", "tree", "window"}},
      {"behind", {"house", "door", "shop"}},
      {"in front of", {"school", "car", "door"}},
  };
  std::vector<Spot> spots;
  for (const auto& [preposition, words] : table)
    for (const std::string_view word : words)
      spots.push_back({adpositional(preposition, noun_phrase("the", word)), word == "table" || word == "chair"});
  return spots;
}

bool has_room(const Spot& spot, const NounPhrase& content) {
  return !spot.furniture || (content.kind & (animal | text | fruit | food)) != 0;
}

/// "whose books are these", "ye kiski kitaaben hain"; "whose book is on the table", "mez par kiski kitaab hai".
void owners_asked(Collector& collector) {
  collector.topic("whose");
  for (const NounPhrase& thing : things(animal | text | fruit | food, {"the"})) {
    const bool plural = thing.conjugation == Conjugation::plural;
    const std::string whose = "whose" + thing.english.substr(3), be = plural ? "are" : "is";
    const std::string hindi =
        join({agree("kisk", thing.agreement), thing.direct, hindi_be(Being::present, thing.agreement)});
    for (const std::string_view word : {plural ? "these" : "this", plural ? "those" : "that"})
      collector.add({join({whose, be, word}), join({demonstrative(word, thing).direct, hindi})});
    for (const Spot& spot : make_spots())
      if (has_room(spot, thing))
        collector.add({join({whose, be, spot.phrase.english}), join({spot.phrase.hindi, hindi})});
  }
  for (const NounPhrase& subject : pronouns())
    collector.add({join({"who", english_be(Being::present, subject.conjugation), subject.english}),
                   join({subject.direct, "kaun", hindi_be(Being::present, subject.agreement)})});
}

/// "where is my book", "meri kitaab kahaan hai"; "the cat is under the table", "billi mez ke neeche hai".
void whereabouts(Collector& collector) {
  NounPhrases located = things(animal | text | fruit, {"the", "my", "your", "this", "those"});
  located.insert(located.end(), some_people().begin(), some_people().end());
  collector.topic("whereabouts");
  for (const NounPhrase& subject : located) {
    for (const Being being : {Being::present, Being::past})
      collector.add({join({"where", english_be(being, subject.conjugation), subject.english}),
                     join({subject.direct, "kahaan", hindi_be(being, subject.agreement)})});
    for (const Spot& spot : make_spots()) {
      if (!has_room(spot, subject)) continue;
      for (const Being being : beings) {
        collector.add(render(Copula{&subject, spot.phrase, being}));
        collector.add(render(Copula{&subject, spot.phrase, being, true}));
        collector.add(render(Copula{&subject, spot.phrase, being, false, Mood::yes_no}));
      }
    }
  }
}

/// "there are two birds in the garden", "bageeche mein do chidiyaan hain": the place first. "no" is koi ... nahin.
void existence(Collector& collector) {
  collector.topic("existence");
  NounPhrases contents = things(animal | text | fruit | food, {"a", "no", "", "two", "three", "four", "five", "many"});
  for (const std::string_view word : {"boy", "girl", "man", "woman", "child"})
    for (const std::string_view which : {"a", "no", "two", "three", "four", "five", "many"})
      contents.push_back(noun_phrase(determiner(which), noun(word), determiner(which).number()));
  for (const Spot& spot : make_spots()) {
    for (const NounPhrase& content : contents) {
      const bool none = content.english.starts_with("no ");
      if (!has_room(spot, content)) continue;
      for (const Being being : {Being::present, Being::past}) {
        const std::string be = english_be(being, content.conjugation);
        const std::string statement =
            join({spot.phrase.hindi, content.direct, none ? "nahin" : "", hindi_be(being, content.agreement)});
        collector.add({join({"there", be, content.english, spot.phrase.english}), statement});
        if (!none) collector.add({join({be, "there", content.english, spot.phrase.english}), "kya " + statement});
      }
    }
    for (const NounPhrase& content : things(animal | text | fruit, {""})) {
      if (!has_room(spot, content)) continue;
      collector.add({join({"how many", content.english, "are there", spot.phrase.english}),
                     join({spot.phrase.hindi, agree("kitn", content.agreement), content.direct, "hain"})});
    }
    for (const auto& [english, hindi] : {std::pair{"who", "kaun"}, {"what", "kya"}}) {
      collector.add({join({english, "is", spot.phrase.english}), join({spot.phrase.hindi, hindi, "hai"})});
      collector.add({join({english, "was", spot.phrase.english}), join({spot.phrase.hindi, hindi, "tha"})});
    }
  }
}

}  // namespace

void add_states(Collector& collector) {
  qualities(collector);
  states_asked(collector);
  identity(collector);
  owners_asked(collector);
  whereabouts(collector);
  existence(collector);
}

}  // namespace glossa::toy
