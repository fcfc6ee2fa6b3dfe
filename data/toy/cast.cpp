#include "data/toy/topics.h"

namespace glossa::toy {
namespace {

/// Pronouns and names, then people with determiners: the boy, these girls, your brother, my mother.
NounPhrases make_people() {
  NounPhrases phrases = pronouns();
  for (NounPhrase& phrase : names()) phrases.push_back(std::move(phrase));
  for (const std::string_view word : {"boy", "girl", "man", "woman", "child"}) {
    for (const std::string_view determiner : {"the", "a", "this"}) phrases.push_back(noun_phrase(determiner, word));
    for (const std::string_view determiner : {"the", "those", "two", "five"})
      phrases.push_back(noun_phrase(determiner, noun(word).english_plural));
  }
  for (const std::string_view determiner : {"my", "your", "his", "her"}) {
    for (const std::string_view word : {"brother", "sister", "father", "mother", "grandmother", "teacher"})
      phrases.push_back(noun_phrase(determiner, word));
    phrases.push_back(noun_phrase(determiner, "friends"));
  }
  phrases.push_back(noun_phrase("the", "teacher"));
  return phrases;
}

std::vector<Deed> make_deeds() {
  const std::vector<std::pair<std::string_view, std::vector<std::string_view>>> table = {
      {"read", {"book", "letter", "newspaper", "story"}},
      {"write", {"book", "letter", "story", "song"}},
      {"eat", {"apple", "mango", "banana", "bread"}},
      {"drink", {"water", "milk", "tea"}},
      {"look", {"book", "letter", "car", "newspaper", "tree", "flower", "dog", "cat", "bird"}},
      {"buy", {"book", "newspaper", "apple", "mango", "banana", "milk", "flower", "car", "table", "chair", "house"}},
      {"open", {"door", "window", "shop"}},
      {"close", {"door", "window", "shop"}},
      {"make", {"tea", "bread", "table", "chair", "house"}},
      {"clean", {"room", "house", "garden", "car", "table", "chair", "window"}},
  };
  std::vector<Deed> deeds;
  for (const auto& [word, objects] : table) {
    Deed deed{&verb(word), {}};
    for (const std::string_view object : objects) deed.objects.push_back(&noun(object));
    deeds.push_back(std::move(deed));
  }
  return deeds;
}

std::vector<Action> make_actions() {
  std::vector<Action> actions;
  for (const Deed& deed : deeds())
    for (const Noun* object : deed.objects)
      actions.push_back({deed.verb, noun_phrase(determiner("the"), *object, Number::singular)});
  for (const std::string_view word : {"house", "market", "school", "city", "village", "shop"}) {
    const NounPhrase place = noun_phrase("the", word);
    actions.push_back({&verb("go"), {}, destination(place)});
    actions.push_back({&verb("come"), {}, destination(place)});
    actions.push_back({&verb("come"), {}, adpositional("from", place)});
  }
  for (const std::string_view word : {"go", "come", "run", "work", "rest"}) actions.push_back({&verb(word), {}});
  return actions;
}

}  // namespace

NounPhrases names() {
  return {name("ram", "raam", Gender::masculine), name("mohan", "mohan", Gender::masculine),
          name("sita", "seeta", Gender::feminine), name("meera", "meera", Gender::feminine)};
}

const NounPhrases& people() {
  static const NounPhrases phrases = make_people();
  return phrases;
}

const NounPhrases& some_people() {
  static const NounPhrases phrases = [] {
    NounPhrases some = pronouns();
    for (const std::string_view words : {"the boy", "the girl", "the children", "the women", "this man", "two girls",
                                         "my father", "your mother", "our brother"})
      some.push_back(noun_phrase(words));
    some.push_back(names().front());
    return some;
  }();
  return phrases;
}

const NounPhrases& companions() {
  static const NounPhrases phrases = [] {
    NounPhrases all = pronouns();
    for (NounPhrase& phrase : names()) all.push_back(std::move(phrase));
    for (const std::string_view words :
         {"the child", "the boys", "this girl", "that woman", "these men", "my friend", "my mother", "your brother",
          "your teacher", "our father", "our sisters", "his grandmother", "her friends", "their sister"})
      all.push_back(noun_phrase(words));
    return all;
  }();
  return phrases;
}

const std::vector<Deed>& deeds() {
  static const std::vector<Deed> all = make_deeds();
  return all;
}

const std::vector<Action>& actions() {
  static const std::vector<Action> all = make_actions();
  return all;
}

Phrase destination(const NounPhrase& place) { return {"to " + place.english, place.oblique, place.owner}; }

bool fits(const Determiner& determiner, const Noun& noun, Number number) {
  const bool bare = determiner.english.empty();
  if (number == Number::plural) return determiner.plural && !noun.mass();
  return determiner.singular && (noun.mass() ? bare || determiner.definite : !bare);
}

NounPhrases determined(const Noun& noun) {
  NounPhrases phrases;
  for (const Determiner& determiner : determiners())
    for (const Number number : {Number::singular, Number::plural})
      if (determiner.english != "no" && fits(determiner, noun, number))
        phrases.push_back(noun_phrase(determiner, noun, number));
  return phrases;
}

}  // namespace glossa::toy
