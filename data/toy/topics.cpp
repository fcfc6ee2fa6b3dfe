#include "data/toy/topics.h"

#include <fmt/core.h>

#include "data/toy/collector.h"

namespace glossa::toy {
namespace {

// ---- people and things ----

NounPhrases pronouns_and_mother() { return pronouns() + phrases("my mother"); }

/// Sixteen subjects that show every agreement.
NounPhrases some_people() {
  return pronouns() + phrases("the boy, the girl, the children, the women, this man, two girls, my father, your mother, "
                              "our brother, ram");
}

/// About seventy subjects.
NounPhrases people() {
  return pronouns() + names() +
         phrases("the/a/this boy, the/those/two/five boys, the/a/this girl, the/those/two/five girls, the/a/this man, "
                 "the/those/two/five men, the/a/this woman, the/those/two/five women, the/a/this child, "
                 "the/those/two/five children, my brother/sister/father/mother/grandmother/teacher, my friends, "
                 "your brother/sister/father/mother/grandmother/teacher, your friends, "
                 "his brother/sister/father/mother/grandmother/teacher, his friends, "
                 "her brother/sister/father/mother/grandmother/teacher, her friends, the teacher");
}

/// People that a subject deals with.
NounPhrases companions() {
  return pronouns() + names() +
         phrases("the child, the boys, this girl, that woman, these men, my friend, my mother, your brother, "
                 "your teacher, our father, our sisters, his grandmother, her friends, their sister");
}

/// Things to have, want and like.
NounPhrases goods(Words determiners, unsigned kinds = belongings) { return things(kinds, determiners, fixture); }

// ---- parts of clauses ----

template <class Part, class List>
Clauses each(Part Clause::*part, const List& list) {
  Clauses clauses;
  for (const auto& choice : list) clauses.emplace_back().*part = choice;
  return clauses;
}

Clauses subjects(const NounPhrases& list) { return each(&Clause::subject, list); }
Clauses objects(const NounPhrases& list) { return each(&Clause::object, list); }
Clauses tenses(std::initializer_list<Tense> list) { return each(&Clause::tense, list); }

Clauses verbs(std::string_view list) {
  Clauses clauses;
  for (const std::string_view word : split(list, "/")) clauses.push_back({.verb = &verb(word)});
  return clauses;
}

/// The verb be, have ...
Clauses to(std::string_view word) { return {{.preposition = &preposition(word)}}; }

Clauses places(const NounPhrases& list) { return each(&Clause::place, list); }
Clauses places(std::string_view word, std::string_view list) {
  return Clauses{{.preposition = &preposition(word)}} * places(phrases(list));
}
Clauses with(std::string_view word, const NounPhrases& list) {
  return Clauses{{.preposition = &preposition(word)}} * places(list);
}

Clauses asking(std::string_view word) { return {{.question = &adverb(word)}}; }
Clauses time(std::string_view word) { return {{.time = &adverb(word)}}; }

NounPhrases one(NounPhrase phrase) { return {std::make_shared<const NounPhrase>(std::move(phrase))}; }
NounPhrases who() { return one(interrogative("who")); }
NounPhrases what() { return one(interrogative("what")); }

const Clauses affirmative = {{}}, negative = {{.negative = true}}, yes_no = {{.yes_no = true}},
              there = {{.there = true}};
const Clauses polarities = affirmative + negative, moods = polarities + yes_no;

const Clauses past = tenses({Tense::past}), future = tenses({Tense::future}), present = tenses({Tense::present}),
              progressive = tenses({Tense::progressive});
const Clauses plain_tenses = present + progressive + past + future;
const std::pair<Clauses, const char*> named_tenses[] = {
    {present, "habitual"}, {progressive, "progressive"},           {past, "past"},
    {tenses({Tense::past_progressive}), "past progressive"},       {future, "future"},
    {tenses({Tense::can}), "can"}, {tenses({Tense::want}), "want"}};
const Clauses all_tenses = tenses({Tense::present, Tense::progressive, Tense::past, Tense::past_progressive, Tense::future, Tense::can, Tense::want});

/// Transitive verbs, each with its usual objects. `forms` returns the phrases of an object.
template <class Forms>
Clauses deeds(const Forms& forms, std::string_view only = "") {
  Clauses clauses;
  for (const std::string_view deed : {
           "read book/letter/newspaper/story",
           "write book/letter/story/song",
           "eat apple/mango/banana/bread",
           "drink water/milk/tea",
           "look book/letter/car/newspaper/tree/flower/dog/cat/bird",
           "buy book/newspaper/apple/mango/banana/milk/flower/car/table/chair/house",
           "open door/window/shop",
           "close door/window/shop",
           "make tea/bread/table/chair/house",
           "clean room/house/garden/car/table/chair/window",
       }) {
    const auto words = split(deed, " ");
    if (only.find(words[0]) == std::string_view::npos && !only.empty()) continue;
    for (const std::string_view object : split(words[1], "/"))
      clauses = clauses + verbs(words[0]) * objects(forms(noun(object)));
  }
  return clauses;
}

/// Deeds with one definite object each, and going, coming, running, working, resting.
Clauses actions() {
  return deeds([](const Noun& noun) { return determined(noun, {"the"}); }) +
         places(phrases("the house/market/school/city/village/shop")) *
             (verbs("go") * to("to") + verbs("come") * (to("to") + to("from"))) +
         verbs("go/come/run/work/rest");
}

NounPhrases counted(const Noun& noun) {
  return determined(noun,
                    {"the", "", "a", "this", "that", "these", "those", "two", "three", "four", "five", "many", "my",
                     "our", "your", "his", "her", "their"},
                    true);
}

// ---- groups ----

std::string with_gender(const std::string& word, Gender gender) {
  return word + (gender == Gender::feminine ? ", feminine" : ", masculine");
}

std::string ungrouped(const Clause&) { return ""; }
std::string by_verb(const Clause& clause) { return clause.verb->english[0]; }
std::string by_verb_and_gender(const Clause& clause) {
  return with_gender(by_verb(clause), clause.object->agreement.gender);
}
std::string by_adjective(const Clause& clause) {
  if (clause.quality) return with_gender(clause.quality->english, clause.subject->agreement.gender);
  return with_gender(clause.object->adjective->english, clause.object->agreement.gender);
}

void add_actions(Collector& collector) {
  for (const auto& [tense, name] : named_tenses) {
    collector.topic(fmt::format("statements, {}", name));
    collector.add(actions() * tense * subjects(people()) * polarities, by_verb);
  }
  collector.topic("yes-no questions");
  collector.add(actions() * subjects(some_people()) * all_tenses * yes_no, by_verb);
  collector.topic("adverb questions");
  collector.add(actions() * subjects(some_people()) * (present + past + future) *
                    (asking("where") + asking("when") + asking("why") * polarities + asking("how")),
                by_verb);
  collector.topic("what questions");
  collector.add(verbs("read/write/eat/drink/look/buy/open/make/clean/close/do") * subjects(people()) * all_tenses *
                    objects(what()),
                by_verb);
  collector.topic("who questions");
  collector.add(actions() * all_tenses * subjects(who()), ungrouped);
  collector.topic("times");
  collector.add(actions() * subjects(some_people()) *
                    (present * time("every day") + progressive * time("now") + past * time("yesterday") +
                     future * time("tomorrow") + past * time("today") + future * time("today")) *
                    polarities,
                by_verb);
  for (const auto& [tense, name] : named_tenses) {
    if (tense[0].tense > Tense::future || tense[0].tense == Tense::past_progressive) continue;
    collector.topic(fmt::format("determined objects, {}", name));
    collector.add(deeds(counted) * tense * subjects(pronouns_and_mother()) * polarities, by_verb_and_gender);
  }
  for (const auto& [tense, name] : named_tenses) {
    if (tense[0].tense != Tense::past && tense[0].tense != Tense::future) continue;
    collector.topic(fmt::format("described objects, {}", name));
    collector.add(deeds([](const Noun& noun) { return described(noun, {"the", "a", "my", "those"}); }) *
                      tense * subjects(pronouns()),
                  by_adjective);
  }
  collector.topic("ways");
  collector.add(places(phrases("the/my/our/your/their house/school/city/village/shop")) *
                    subjects(pronouns_and_mother()) * (past + future) * polarities *
                    (verbs("go") * to("to") + verbs("come") * (to("to") + to("from")) + verbs("run") * to("in")),
                by_verb);
  collector.topic("described subjects");
  for (const char* word : {"boy", "girl", "man", "woman", "child"})
    collector.add(subjects(described(noun(word), {"the"}, true)) * actions() * (progressive + past), by_verb);
  collector.topic("places");
  const Clauses spots = places("in", "the/this/my/our/your house/room/garden/school/shop/village") +
                        places("on", "the table/chair") + places("under", "the tree");
  collector.add(verbs("read/write/eat/work/rest/run") * subjects(some_people()) * spots * plain_tenses, by_verb);
}

void add_dealings(Collector& collector) {
  collector.topic("giving");
  collector.add(subjects(some_people()) * verbs("give") *
                    objects(phrases("the/a/those/two book/letter/apple/mango/flower/milk")) * with("to", companions()) *
                    (past + future),
                by_verb);
  collector.topic("talking");
  collector.add(subjects(people()) * verbs("talk") * with("to", companions()) * plain_tenses * polarities, by_verb);
  collector.topic("looking");
  collector.add(subjects(people()) * verbs("look") * objects(companions()) * plain_tenses * polarities, by_verb);
  collector.topic("company");
  collector.add(subjects(some_people()) * verbs("go/come/work/eat/read/run/rest") * with("with", companions()) *
                    plain_tenses,
                ungrouped);
  collector.topic("favours");
  const auto new_thing = [](const Noun& noun) { return determined(noun, {"the", "a"}); };
  collector.add(subjects(pronouns()) * deeds(new_thing, "buy/make") * with("for", companions()) *
                    (progressive + past),
                ungrouped);
  collector.topic("requests");
  collector.add((actions() + deeds(counted) + verbs("talk") * with("to", companions()) +
                 verbs("go/come/work/eat/read/run/rest") * with("with", companions()) +
                 verbs("give") * with("to", companions()) *
                     objects(phrases("the book/letter/apple/flower/milk/tea/water"))) *
                    subjects(phrases("you")) * Clauses{{.request = true}, {.request = true, .please = true}} *
                    polarities,
                by_verb);
}

Clauses spots() {
  return places("in", "the room/house/garden/city/market/school/shop/village/car") + places("on", "the table/chair") +
         places("under", "the table/chair/tree") + places("near", "the house/market/tree/window") +
         places("behind", "the house/door/shop") + places("in front of", "the school/car/door");
}

void add_states(Collector& collector) {
  const Clauses be = verbs("be");
  Clauses qualities;
  for (const Adjective& adjective : adjectives()) qualities.push_back({.quality = &adjective});
  const std::pair<std::string, NounPhrases> described_subjects[] = {
      {"pronouns with qualities", pronouns()},
      {"people with qualities", people()},
      {"things with qualities", things(belongings | tale | place, {"the", "this", "those", "my"})},
      {"the world", phrases("the world")},
  };
  const Clauses forms = moods + Clauses{{.very = true}};
  for (const auto& [name, list] : described_subjects)
    for (const auto& [tense, tense_name] : {std::pair{present, "present"}, {past, "past"}, {future, "future"}}) {
      collector.topic(fmt::format("{}, {}", name, tense_name));
      collector.add(be * tense * subjects(list) * qualities * forms, by_adjective);
    }
  collector.topic("relatives with qualities");
  for (const auto& relative : phrases("the friend/brother/sister/father/mother/teacher"))
    for (const auto& owner : phrases("the boy/girl/man/woman/child/boys/girls/women/children"))
      collector.add(be * subjects(one(possession(*relative, *owner))) * qualities * forms, by_adjective);

  collector.topic("how");
  NounPhrases definite;
  for (const auto& person : people())
    if (person->definite && person->self != Owner::i && person->self != Owner::you) definite.push_back(person);
  collector.add(be * subjects(definite + things(belongings | place, {"the", "this", "those", "my", "your"})) *
                    (present + past) * asking("how"),
                by_verb);

  collector.topic("identity");
  const auto point_at = [&](const NounPhrases& list) {
    for (const auto& shown : list)
      for (const bool near : {true, false})
        collector.add(be * subjects(one(demonstrative(near, *shown))) * objects({shown}) * moods, by_verb);
  };
  point_at(things(person | belongings | place, {"my", "our", "your", "his", "her", "their"}));
  point_at(things(animal | text | fruit | thing | flora | place, {"a"}));
  for (const Noun& noun : nouns()) {
    if ((noun.kind & (text | thing | place)) == 0 || noun.mass()) continue;
    for (const auto& owner : people())
      if (owner->form(Case::genitive).ends_with(" k-") && owner->owner == Owner::none && owner->definite)
        point_at(one(possession(*determined(noun, {"the"})[0], *owner)));
    point_at(described(noun, {"a", "my"}));
  }

  collector.topic("whose");
  for (const auto& thing : things(animal | text | fruit | food, {"whose"}))
    collector.add(be * subjects({thing}) *
                      (objects(one(demonstrative(true, *thing)) + one(demonstrative(false, *thing))) + spots()),
                  by_verb);
  collector.add(be * subjects(pronouns()) * asking("who"), by_verb);

  collector.topic("whereabouts");
  collector.add(be * subjects(things(animal | text | fruit, {"the", "my", "your", "this", "those"}) + some_people()) *
                    ((present + past) * asking("where") + spots() * (present + past + future) * moods),
                by_verb);

  collector.topic("existence");
  const NounPhrases contents =
      things(animal | text | fruit | food, {"a", "no", "", "two", "three", "four", "five", "many"}) +
      phrases("a/no/two/three/four/five/many boy/girl/man/woman/child");
  collector.add(be * spots() *
                    (subjects(contents) * there * (present + past) * (affirmative + yes_no) +
                     subjects(things(animal | text | fruit, {"how many"})) * there +
                     subjects(who() + what()) * (present + past)),
                by_verb);
}

void add_having(Collector& collector) {
  const Clauses someone = subjects(some_people()), moods = affirmative + yes_no + negative;
  collector.topic("having things");
  collector.add(someone * verbs("have") *
                    objects(goods({"a", "no", "the", "this", "", "two", "three", "four", "five", "many"})) *
                    (present + past) * moods,
                by_verb);
  collector.topic("how many one has");
  collector.add(someone * verbs("have") * objects(goods({"how many"})), by_verb);
  collector.topic("having relatives");
  NounPhrases relatives;
  for (const char* word : {"a", "no", "two", "three", "four", "five", "many"})
    relatives = relatives + phrases(fmt::format("{} friend/brother/sister", word));
  collector.add(someone * verbs("have") * objects(relatives) * moods, by_verb);
  collector.topic("wanting");
  collector.add(someone * verbs("want") *
                    (objects(what()) +
                     objects(goods({"the", "a", "this", "that", "these", "two", "three", "four"})) * moods),
                by_verb);
  collector.topic("liking");
  collector.add(someone * verbs("like") *
                    objects(goods({"", "the", "this", "that", "these", "those"}, belongings | tale)) * moods,
                by_verb);
}

/// "good morning brother how are you", "suprabhaat bhaai aap kaise ho". The greeting "how are you" keeps the familiar
/// `ho`; everywhere else `aap` takes `hain`.
void add_greetings(Collector& collector) {
  using Pairs = std::vector<ToyPair>;
  collector.topic("greetings");
  const Pairs greetings = {{"", ""}, {"hello", "namaste"}, {"good morning", "suprabhaat"}, {"thank you", "dhanyavaad"}};
  Pairs addressees = {{"", ""}, {"world", "vishva"}, {"my friend", "mere dost"}};
  for (const char* word : {"brother", "sister", "father", "mother", "grandmother"})
    addressees.push_back({word, noun(word).hindi});
  for (const auto& name : names()) addressees.push_back({name->english, name->form(Case::direct)});
  Pairs questions = {{"", ""},
                     {"how are you", "aap kaise ho"},
                     {"how are you now", "aap abhi kaise ho"},
                     {"how are you today", "aap aaj kaise ho"},
                     {"where are you", "aap kahaan hain"},
                     {"where are you going", "aap kahaan ja rahe hain"},
                     {"what are you doing", "aap kya kar rahe hain"}};
  for (const Clause& clause : verbs("be") * asking("how") *
                                  subjects(phrases("your friend/brother/sister/father/mother/grandmother/teacher")))
    questions.push_back(render(clause));
  for (const ToyPair& greeting : greetings)
    for (const ToyPair& addressee : addressees)
      for (const ToyPair& question : questions) {
        if (greeting.english == "thank you" && !question.english.empty()) continue;
        const std::string english = join({greeting.english, addressee.english, question.english});
        if (english.find(' ') != std::string::npos && !(greeting.english.empty() && question.english.empty()))
          collector.add({english, join({greeting.hindi, addressee.hindi, question.hindi})});
      }
  for (const auto& gift : things(text | tale | fruit | food | flora, {"the", "this", "that"})) {
    if (gift->plural()) continue;
    collector.add({"thank you for " + gift->english,
                   agree(gift->form(Case::genitive), {}, true) + " liye dhanyavaad"});
  }
}

}  // namespace

std::vector<Topic> toy_language() {
  Collector collector;
  add_greetings(collector);
  add_states(collector);
  add_having(collector);
  add_dealings(collector);
  add_actions(collector);
  return collector.take();
}

}  // namespace glossa::toy
