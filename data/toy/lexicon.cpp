#include "data/toy/lexicon.h"

#include "base/check.h"

namespace glossa::toy {
namespace {

constexpr auto masculine = Gender::masculine, feminine = Gender::feminine;

template <class Entry>
const Entry& find(const std::vector<Entry>& entries, std::string_view english) {
  for (const Entry& entry : entries)
    if (entry.english == english) return entry;
  fail("toy lexicon", "expected a word of the lexicon; got '{}'", english);
}

}  // namespace

const std::vector<Noun>& nouns() {
  static const std::vector<Noun> table = {
      {"boy", "boys", masculine, "ladk-", person},
      {"girl", "girls", feminine, "ladki", person},
      {"man", "men", masculine, "aadmi", person},
      {"woman", "women", feminine, "aurat", person},
      {"child", "children", masculine, "bacch-", person},
      {"friend", "friends", masculine, "dost", person},
      {"brother", "brothers", masculine, "bhaai", person},
      {"sister", "sisters", feminine, "bahan", person},
      {"father", "fathers", masculine, "pitaji", person | respected},
      {"mother", "mothers", feminine, "maataji", person | respected},
      {"grandmother", "grandmothers", feminine, "daadi", person | respected},
      {"teacher", "teachers", masculine, "adhyaapak", person | respected},
      {"dog", "dogs", masculine, "kutt-", animal},
      {"cat", "cats", feminine, "billi", animal},
      {"bird", "birds", feminine, "chidiya", animal},
      {"book", "books", feminine, "kitaab", text},
      {"letter", "letters", feminine, "chitthi", text},
      {"newspaper", "newspapers", masculine, "akhbaar", text},
      {"story", "stories", feminine, "kahaani", tale},
      {"song", "songs", masculine, "gaan-", tale},
      {"apple", "apples", masculine, "seb", fruit},
      {"mango", "mangoes", masculine, "aam", fruit},
      {"banana", "bananas", masculine, "kel-", fruit},
      {"bread", "", feminine, "roti", food},
      {"water", "", masculine, "paani", food},
      {"milk", "", masculine, "doodh", food},
      {"tea", "", feminine, "chaay", food},
      {"door", "doors", masculine, "darvaaz-", thing | fixture},
      {"window", "windows", feminine, "khidki", thing | fixture},
      {"table", "tables", feminine, "mez", thing},
      {"chair", "chairs", feminine, "kursi", thing},
      {"car", "cars", feminine, "gaadi", thing},
      {"flower", "flowers", masculine, "phool", flora},
      {"tree", "trees", masculine, "ped", flora | fixture},
      {"house", "houses", masculine, "ghar", place},
      {"room", "rooms", masculine, "kamr-", place},
      {"garden", "gardens", masculine, "bageech-", place},
      {"market", "markets", masculine, "baazaar", place},
      {"school", "schools", masculine, "skool", place},
      {"city", "cities", masculine, "shahar", place},
      {"village", "villages", masculine, "gaanv", place},
      {"shop", "shops", feminine, "dukaan", place},
      {"world", "", masculine, "vishva", place},
  };
  return table;
}

const std::vector<Adjective>& adjectives() {
  static const std::vector<Adjective> table = {
      {"good", "acch-", tale | person | animal | text | fruit | food | thing | flora | place},
      {"bad", "bur-", tale | person | animal | text},
      {"big", "bad-", animal | text | fruit | thing | flora | place},
      {"small", "chhot-", person | animal | text | fruit | thing | flora | place},
      {"new", "nay-", tale | text | thing | place},
      {"old", "puraan-", tale | text | thing | place},
      {"beautiful", "sundar", tale | person | animal | flora | place},
      {"happy", "khush", person | animal},
      {"sad", "udaas", person},
      {"hungry", "bhookh-", person | animal},
      {"thirsty", "pyaas-", person | animal},
      {"tall", "lamb-", person},
      {"red", "laal", thing | flora},
      {"yellow", "peel-", thing | flora | fruit},
      {"black", "kaal-", thing | animal},
      {"white", "safed", thing | animal},
      {"hot", "garam", food},
      {"cold", "thand-", food},
      {"sweet", "meeth-", fruit},
      {"clean", "saaf", thing | place},
      {"expensive", "mahang-", text | fruit | thing},
      {"cheap", "sast-", text | fruit | thing},
  };
  return table;
}

const Verb& verb(std::string_view english) {
  static const std::vector<Verb> table = {
      {.english = {"read", "reads", "reading", "read"}, .root = "padh"},
      {.english = {"write", "writes", "writing", "wrote"}, .root = "likh"},
      {.english = {"eat", "eats", "eating", "ate"}, .root = "khaa"},
      {.english = {"drink", "drinks", "drinking", "drank"}, .root = "pee"},
      {.english = {"look", "looks", "looking", "looked"}, .particle = "at", .root = "dekh"},
      {.english = {"buy", "buys", "buying", "bought"}, .root = "khareed"},
      {.english = {"open", "opens", "opening", "opened"}, .root = "khol"},
      {.english = {"make", "makes", "making", "made"}, .root = "banaa"},
      {.english = {"give", "gives", "giving", "gave"}, .root = "de", .to = Case::dative},
      {.english = {"close", "closes", "closing", "closed"}, .element = "band", .root = "kar"},
      {.english = {"clean", "cleans", "cleaning", "cleaned"}, .element = "saaf", .root = "kar"},
      {.english = {"do", "does", "doing", "did"}, .root = "kar"},
      {.english = {"work", "works", "working", "worked"}, .element = "kaam", .root = "kar"},
      {.english = {"rest", "rests", "resting", "rested"}, .element = "aaraam", .root = "kar"},
      {.english = {"talk", "talks", "talking", "talked"},
       .element = "baat",
       .root = "kar",
       .to = Case::instrumental,
       .inner = feminine},
      {.english = {"go", "goes", "going", "went"}, .root = "jaa", .past_subject = Case::direct},
      {.english = {"come", "comes", "coming", "came"}, .root = "aa", .past_subject = Case::direct},
      {.english = {"run", "runs", "running", "ran"}, .root = "daud", .past_subject = Case::direct},
      {.english = {"be", "is", "being", "was"}, .root = "ho", .past_subject = Case::direct},
      {.english = {"have", "has", "having", "had"}, .root = "ho", .subject = Case::genitive},
      {.english = {"like", "likes", "liking", "liked"}, .element = "pasand", .root = "ho", .subject = Case::dative},
      {.english = {"want", "wants", "wanting", "wanted"}, .root = "chaahiye", .subject = Case::dative},
  };
  for (const Verb& entry : table)
    if (entry.english[0] == english) return entry;
  fail("toy lexicon", "expected a verb of the lexicon; got '{}'", english);
}

Stems stems_of(const Verb& verb) {
  static constexpr Stems irregular[] = {
      {"khaa", "kha", "khaay", "khaa", "khaa"}, {"banaa", "bana", "banaay", "banaa", "banaa"},
      {"jaa", "ja", "gay", "jaa", "jaa"},       {"aa", "aa", "aay", "aa", "aa"},
      {"pee", "pi", "piy", "piy", "peej"},      {"de", "de", "diy", "d", "deej"},
      {"kar", "kar", "kiy", "kar", "keej"},
  };
  for (const Stems& stems : irregular)
    if (stems.root == verb.root) return stems;
  return {verb.root, verb.root, verb.root, verb.root, verb.root};
}

const Determiner& determiner(std::string_view english) {
  static const std::vector<Determiner> table = {
      {"the", "", "", true, true, true},
      {"", "", "", true, true, false},
      {"a", "ek", "ek", true, false, false},
      {"no", "koi", "kisi", true, false, false},
      {"this", "yah", "is", true, false, true},
      {"that", "vah", "us", true, false, true},
      {"these", "ye", "in", false, true, true},
      {"those", "ve", "un", false, true, true},
      {"two", "do", "do", false, true, false},
      {"three", "teen", "teen", false, true, false},
      {"four", "chaar", "chaar", false, true, false},
      {"five", "paanch", "paanch", false, true, false},
      {"many", "kai", "kai", false, true, false},
      {"my", "mer-", "mer-", true, true, true, Owner::i},
      {"our", "hamaar-", "hamaar-", true, true, true, Owner::we},
      {"your", "aapk-", "aapk-", true, true, true, Owner::you},
      {"his", "usk-", "usk-", true, true, true, Owner::third},
      {"her", "usk-", "usk-", true, true, true, Owner::third},
      {"their", "unk-", "unk-", true, true, true, Owner::third},
      {"whose", "kisk-", "kisk-", true, true, true},
      {"how many", "kitn-", "kitn-", false, true, true},
  };
  return find(table, english);
}

const Preposition& preposition(std::string_view english) {
  static const std::vector<Preposition> table = {
      {"in", "mein", Case::oblique},
      {"on", "par", Case::oblique},
      {"from", "se", Case::oblique},
      {"to", "", Case::oblique},
      {"under", "neeche", Case::genitive},
      {"near", "paas", Case::genitive},
      {"behind", "peechhe", Case::genitive},
      {"in front of", "saamne", Case::genitive},
      {"with", "saath", Case::genitive},
      {"for", "liye", Case::genitive},
  };
  return find(table, english);
}

const Adverb& adverb(std::string_view english) {
  static const std::vector<Adverb> table = {
      {"every day", "roz"}, {"now", "abhi"},     {"yesterday", "kal"}, {"today", "aaj"}, {"tomorrow", "kal"},
      {"where", "kahaan"},  {"when", "kab"},     {"why", "kyon"},      {"how", "kais-"}, {"who", "kaun"},
  };
  return find(table, english);
}

const Noun& noun(std::string_view english) { return find(nouns(), english); }

}  // namespace glossa::toy
