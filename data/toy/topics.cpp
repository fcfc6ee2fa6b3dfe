#include "data/toy/topics.h"

namespace glossa::toy {
namespace {

// ---- groups ----

std::string ungrouped(const Clause&) { return ""; }

std::string with_gender(const std::string& word, const NounPhrase& phrase) {
  return word + (phrase.agreement.gender == Gender::feminine ? ", feminine" : ", masculine");
}

std::string by_verb_and_gender(const Clause& clause) { return with_gender(by_verb(clause), *clause.object); }

std::string by_adjective(const Clause& clause) {
  if (clause.quality) return with_gender(clause.quality->english, *clause.subject);
  return with_gender(clause.object->adjective->english, *clause.object);
}

// ---- people and things ----

constexpr std::string_view pronouns = "i, you, he, she, we, they";
constexpr std::string_view names = "ram, mohan, sita, meera";

/// Pronouns and a subject for the feminine plural.
constexpr std::string_view pronouns_and_mother = "i, you, he, she, we, they, my mother";

/// Sixteen subjects that show every agreement.
constexpr std::string_view some_people =
    "i, you, he, she, we, they, the boy, the girl, the children, the women, this man, two girls, my father, "
    "your mother, our brother, ram";

/// About seventy subjects.
constexpr std::string_view people =
    "i, you, he, she, we, they, ram, mohan, sita, meera, "
    "the/a/this boy, the/those/two/five boys, the/a/this girl, the/those/two/five girls, "
    "the/a/this man, the/those/two/five men, the/a/this woman, the/those/two/five women, "
    "the/a/this child, the/those/two/five children, "
    "my brother/sister/father/mother/grandmother/teacher/friends, "
    "your brother/sister/father/mother/grandmother/teacher/friends, "
    "his brother/sister/father/mother/grandmother/teacher/friends, "
    "her brother/sister/father/mother/grandmother/teacher/friends, the teacher";

/// People that a subject deals with.
constexpr std::string_view companions =
    "i, you, he, she, we, they, ram, mohan, sita, meera, the child, the boys, this girl, that woman, these men, "
    "my friend, my mother, your brother, your teacher, our father, our sisters, his grandmother, her friends, "
    "their sister";

/// Things to have, want and like.
NounPhrases goods(std::string_view determiners, unsigned kinds = belongings) {
  return things(kinds, determiners, fixture);
}

/// Every determiner but `no`, which negates the whole Hindi clause.
constexpr std::string_view determiners =
    "the//a/this/that/these/those/two/three/four/five/many/my/our/your/his/her/their";

// ---- parts of clauses ----

const Clause negative = {.negative = true}, yes_no = {.yes_no = true};

Clauses polarities() { return {{}, negative}; }
Clauses moods() { return {{}, negative, yes_no}; }

constexpr std::initializer_list<Tense> plain_tenses = {Tense::present, Tense::progressive, Tense::past, Tense::future};
constexpr std::initializer_list<Tense> all_tenses = {
    Tense::present, Tense::progressive, Tense::past, Tense::past_progressive, Tense::future, Tense::can, Tense::want};

constexpr std::string_view deed_table[] = {
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
};

/// Transitive verbs, each with its usual objects. `only` selects some of the verbs.
Clauses deeds(std::string_view determiners_of_objects, Forms forms = {}, std::string_view only = "") {
  Clauses clauses;
  for (const std::string_view deed : deed_table) {
    const auto words = split(deed, " ");
    if (!only.empty() && only.find(words[0]) == std::string_view::npos) continue;
    for (const std::string_view object : split(words[1], "/"))
      clauses = clauses + verbs(words[0]) * objects(noun_phrases(noun(object), determiners_of_objects, forms));
  }
  return clauses;
}

/// Going and coming.
Clauses to_and_from() { return verbs("go") * prepositions("to") + verbs("come") * prepositions("to, from"); }

/// Deeds with one definite object each, and going, coming, running, working, resting.
Clauses actions() {
  return deeds("the") + places("the house/market/school/city/village/shop") * to_and_from() +
         verbs("go, come, run, work, rest");
}

Clauses adjuncts(std::string_view preposition, std::string_view list) {
  return prepositions(preposition) * places(list);
}

// ---- topics ----

/// Greetings, alone or before a question: "good morning brother how are you", "suprabhaat bhaai aap kaise ho". The
/// greeting "how are you" keeps the familiar `ho`; everywhere else `aap` takes `hain`.
void add_greetings(Collector& collector) {
  std::vector<ToyPair> addressees = {{"", ""}, {"world", "vishva"}, {"my friend", "mere dost"}};
  for (const char* word : {"brother", "sister", "father", "mother", "grandmother"})
    addressees.push_back({word, noun(word).hindi});
  for (const auto& name : phrases(names)) addressees.push_back({name->english, name->form(Case::direct)});
  std::vector<ToyPair> asked = {{"", ""},
                                {"how are you", "aap kaise ho"},
                                {"how are you now", "aap abhi kaise ho"},
                                {"how are you today", "aap aaj kaise ho"}};
  const Clauses be = verbs("be"), doing = tenses({Tense::progressive}), you = subjects("you");
  for (const Clause& clause :
       you*(be * questions("where") + verbs("go") * doing * questions("where") +
            verbs("do") * doing * objects("what")) +
           subjects("your friend/brother/sister/father/mother/grandmother/teacher") * be * questions("how"))
    asked.push_back(render(clause));

  collector.topic("greetings");
  for (const ToyPair& greeting : std::vector<ToyPair>{
           {"", ""}, {"hello", "namaste"}, {"good morning", "suprabhaat"}, {"thank you", "dhanyavaad"}})
    for (const ToyPair& addressee : addressees)
      for (const ToyPair& question : asked)
        if (question.english.empty() ? !greeting.english.empty() : greeting.english != "thank you")
          collector.add("", {join({greeting.english, addressee.english, question.english}),
                             join({greeting.hindi, addressee.hindi, question.hindi})});
  for (const auto& gift : things(text | tale | fruit | food | flora, "the/this/that"))
    if (!gift->plural())  // thank you for the tea
      collector.add(
          "", {"thank you for " + gift->english, agree(gift->form(Case::genitive), {}, true) + " liye dhanyavaad"});
}

/// Being: qualities, identity, places, existence.
void add_states(Collector& collector) {
  using enum Tense;
  const Clauses be = verbs("be"), then_and_now = tenses({present, past});

  // "the apples were very sweet", "seb bahut meethe the"
  Clauses qualities;
  for (const Adjective& adjective : adjectives()) qualities.push_back({.quality = &adjective});
  qualities = qualities * Clauses{{}, negative, yes_no, {.very = true}};
  for (const NounPhrases& list : {phrases(pronouns), phrases(people),
                                  things(belongings | tale | place, "the/this/those/my"), phrases("the world")})
    for (const Tense tense : {present, past, future})
      collector.topic("qualities", be * tenses({tense}) * subjects(list) * qualities, by_adjective);
  const NounPhrases relatives = possessions(phrases("the friend/brother/sister/father/mother/teacher"),
                                            phrases("the boy/girl/man/woman/child/boys/girls/women/children"));
  collector.topic("qualities of relatives", be * subjects(relatives) * qualities, by_adjective);

  // "how was your sister", "aapki bahan kaisi thi"; without i and you, whose greeting differs
  NounPhrases others = phrases(people) + things(belongings | place, "the/this/those/my/your");
  std::erase_if(others,
                [](const auto& one) { return !one->definite || one->self == Owner::i || one->self == Owner::you; });
  collector.topic("how", be * subjects(others) * then_and_now * questions("how"));

  // "are those your books", "kya ve aapki kitaaben hain"; "this is the house of ram", "yah raam ka ghar hai"
  NounPhrases shown = things(person | belongings | place, "my/our/your/his/her/their") +
                      things(animal | text | fruit | thing | flora | place, "a");
  const NounPhrases owners = phrases(
      "ram, mohan, sita, meera, the/this boy, the/those boys, the/this girl, "
      "the/those girls, the/this man, the/those men, the/this woman, the/those women, "
      "the/this child, the/those children, the teacher");
  for (const Noun& noun : nouns())
    if ((noun.kind & (text | thing | place)) && !noun.mass())
      shown = shown + possessions(noun_phrases(noun, "the"), owners) + noun_phrases(noun, "a/my", {.adjectives = true});
  collector.topic("identity");
  for (const auto& one : shown) collector.add(be * subjects(demonstratives(*one)) * objects({one}) * moods());

  // "whose books are these", "ye kiski kitaaben hain"; "whose book is on the table", "mez par kiski kitaab hai"
  const Clauses spots = adjuncts("in", "the room/house/garden/city/market/school/shop/village/car") +
                        adjuncts("on", "the table/chair") + adjuncts("under", "the table/chair/tree") +
                        adjuncts("near", "the house/market/tree/window") + adjuncts("behind", "the house/door/shop") +
                        adjuncts("in front of", "the school/car/door");
  collector.topic("whose");
  for (const auto& owned : things(animal | text | fruit | food, "whose"))
    collector.add(be * subjects({owned}) * (objects(demonstratives(*owned)) + spots));
  collector.add(be * subjects(pronouns) * questions("who"));

  // "where is my book", "meri kitaab kahaan hai"; "the cat is under the table", "billi mez ke neeche hai"
  const Clauses located = subjects(things(animal | text | fruit, "the/my/your/this/those")) + subjects(some_people);
  collector.topic(
      "whereabouts",
      be * located * (then_and_now * questions("where") + spots * tenses({present, past, future}) * moods()));

  // "there are two birds in the garden", "bageeche mein do chidiyaan hain"
  const Clauses contents = subjects(things(animal | text | fruit | food, "a/no//two/three/four/five/many")) +
                           subjects("a/no/two/three/four/five/many boy/girl/man/woman/child");
  const Clauses there = {{.there = true}};
  collector.topic("existence", be * spots *
                                   (contents * there * then_and_now * Clauses{{}, yes_no} +
                                    subjects(things(animal | text | fruit, "how many")) * there +
                                    subjects("who, what") * then_and_now));
}

/// Having, wanting and liking: the Hindi subject is in the genitive or dative.
void add_having(Collector& collector) {
  const Clauses someone = subjects(some_people), have = verbs("have"), forms = {{}, yes_no, negative};
  // "the boy had three apples", "ladke ke paas teen seb the"
  collector.topic("having things", someone * have * objects(goods("a/no/the/this//two/three/four/five/many")) *
                                       tenses({Tense::present, Tense::past}) * forms);
  // "how many books does he have", "uske paas kitni kitaaben hain"
  collector.topic("how many one has", someone * have * objects(goods("how many")));
  // "i have two sisters", "meri do bahanen hain"
  const std::string_view relatives =
      "a friend/brother/sister, no friend/brother/sister, two friend/brother/sister, three friend/brother/sister, "
      "four friend/brother/sister, five friend/brother/sister, many friend/brother/sister";
  collector.topic("having relatives", someone * have * objects(relatives) * forms);
  // "i want the water", "mujhe paani chaahiye"; "what does he want", "use kya chaahiye"
  collector.topic("wanting", someone * verbs("want") *
                                 (objects("what") + objects(goods("the/a/this/that/these/two/three/four")) * forms));
  // "do you like tea", "kya aapko chaay pasand hai"
  collector.topic("liking",
                  someone * verbs("like") * objects(goods("/the/this/that/these/those", belongings | tale)) * forms);
}

/// Dealings with people: give to, talk to, go with, buy for; requests.
void add_dealings(Collector& collector) {
  using enum Tense;
  const Clauses to_somebody = adjuncts("to", companions);
  // "i gave two books to her", "maine use do kitaaben din"
  collector.topic("giving", subjects(some_people) * verbs("give") *
                                objects("the/a/those/two book/letter/apple/mango/flower/milk") * to_somebody *
                                tenses({past, future}));
  // "is she talking to them", "kya vah unse baat kar rahi hai"; "they looked at me", "unhone mujhe dekha"
  const Clauses talk = verbs("talk") * to_somebody, look = verbs("look") * objects(companions);
  collector.topic("talking", subjects(people) * talk * tenses(plain_tenses) * polarities());
  collector.topic("looking", subjects(people) * look * tenses(plain_tenses) * polarities());
  // "he works with my friend", "vah mere dost ke saath kaam karta hai"
  const Clauses together = verbs("go, come, work, eat, read, run, rest") * adjuncts("with", companions);
  collector.topic("company", subjects(some_people) * together * tenses(plain_tenses), ungrouped);
  // "my father is making tea for us", "mere pitaji hamaare liye chaay bana rahe hain"
  collector.topic(
      "favours",
      subjects(pronouns) * deeds("the/a", {}, "buy/make") * adjuncts("for", companions) * tenses({progressive, past}),
      ungrouped);
  // "please do not close the window", "kripaya khidki band mat keejiye"; the addressee is `aap`
  const Clauses give = verbs("give") * to_somebody * objects("the book/letter/apple/flower/milk/tea/water");
  const Clauses request = {{.request = true}, {.request = true, .please = true}};
  collector.topic("requests", subjects("you") *
                                  (actions() + deeds(determiners, {.both_numbers = true}) + talk + together + give) *
                                  request * polarities());
}

/// Actions: verbs with their objects, tenses, questions, adjuncts.
void add_actions(Collector& collector) {
  using enum Tense;
  const Clauses someone = subjects(some_people), all = tenses(all_tenses);
  // "the boy does not read the book", "ladka kitaab nahin padhta hai"
  for (const Tense tense : all_tenses)
    collector.topic("statements", actions() * subjects(people) * tenses({tense}) * polarities());
  // "can she open the door", "kya vah darvaaza khol sakti hai"
  collector.topic("yes-no questions", actions() * someone * all * Clauses{yes_no});
  // "when will they come from the city", "ve shahar se kab aayenge"
  collector.topic("adverb questions",
                  actions() * someone * tenses({present, past, future}) *
                      (questions("where, when, why") + questions("why") * Clauses{negative} + questions("how")));
  // "what is my mother making", "meri maataji kya bana rahi hain"; "who closed the window", "khidki kisne band ki"
  const Clauses making = verbs("read, write, eat, drink, look, buy, open, make, clean, close, do");
  collector.topic("what questions", making * subjects(people) * all * objects("what"));
  collector.topic("who questions", actions() * subjects("who") * all, ungrouped);
  // "i will go to the market tomorrow", "main kal baazaar jaaoonga"; kal is both yesterday and tomorrow
  const Clauses when = tenses({present}) * times("every day") + tenses({progressive}) * times("now") +
                       tenses({past}) * times("yesterday") + tenses({future}) * times("tomorrow") +
                       tenses({past, future}) * times("today");
  collector.topic("times", actions() * someone * when * polarities());
  // "she bought three mangoes", "usne teen aam khareede"
  for (const Tense tense : plain_tenses)
    collector.topic(
        "determined objects",
        deeds(determiners, {.both_numbers = true}) * tenses({tense}) * subjects(pronouns_and_mother) * polarities(),
        by_verb_and_gender);
  // "we will read a new book", "ham ek nayi kitaab padhenge"
  for (const Tense tense : {past, future})
    collector.topic("described objects",
                    deeds("the/a/my/those", {.adjectives = true}) * tenses({tense}) * subjects(pronouns), by_adjective);
  // "i will come from my village", "main apne gaanv se aaoonga"
  collector.topic("ways", places("the/my/our/your/their house/school/city/village/shop") *
                              subjects(pronouns_and_mother) * tenses({past, future}) * polarities() *
                              (to_and_from() + verbs("run") * prepositions("in")));
  // "the small girls opened the door", "chhoti ladkiyon ne darvaaza khola"
  collector.topic("described subjects");
  for (const char* word : {"boy", "girl", "man", "woman", "child"})
    collector.add(subjects(noun_phrases(noun(word), "the", {.both_numbers = true, .adjectives = true})) * actions() *
                  tenses({progressive, past}));
  // "the children read in the garden", "bacche bageeche mein padhte hain"
  const Clauses spots = adjuncts("in", "the/this/my/our/your house/room/garden/school/shop/village") +
                        adjuncts("on", "the table/chair") + adjuncts("under", "the tree");
  collector.topic("places", verbs("read, write, eat, work, rest, run") * someone * spots * tenses(plain_tenses));
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
