#include "data/toy/lexicon.h"

#include "base/check.h"

namespace glossa::toy {
namespace {

// Declensions. Each builds the four forms: direct singular and plural, oblique singular and plural.

/// Masculine in -a: ladka, ladke; ladke ko, ladkon ko.
Noun masculine_a(std::string english, std::string plural, const std::string& stem, unsigned kind) {
  return {english, plural, Gender::masculine, stem + "a", stem + "e", stem + "e", stem + "on", kind};
}

/// Other masculines change only in the oblique plural: ghar, ghar; ghar mein, gharon mein (aadmi: aadmiyon).
Noun masculine(std::string english, std::string plural, const std::string& word, unsigned kind) {
  const std::string glide = word.back() == 'i' ? "yon" : "on";
  return {english, plural, Gender::masculine, word, word, word, word + glide, kind};
}

/// Feminine in a consonant: kitaab, kitaaben; kitaab ko, kitaabon ko.
Noun feminine(std::string english, std::string plural, const std::string& word, unsigned kind) {
  return {english, plural, Gender::feminine, word, word + "en", word, word + "on", kind};
}

/// Feminine in -i: ladki, ladkiyaan; ladki ko, ladkiyon ko.
Noun feminine_i(std::string english, std::string plural, const std::string& word, unsigned kind) {
  return {english, plural, Gender::feminine, word, word + "yaan", word, word + "yon", kind};
}

/// Feminine in -iya: chidiya, chidiyaan; chidiya ko, chidiyon ko.
Noun feminine_iya(std::string english, std::string plural, const std::string& stem, unsigned kind) {
  return {english, plural, Gender::feminine, stem + "a", stem + "aan", stem + "a", stem + "on", kind};
}

/// Respected people take plural agreement; the word itself is unchanged.
Noun honorific(std::string english, std::string plural, Gender gender, const std::string& word) {
  return {english, plural, gender, word, word, word, word, person, true};
}

// Conjugations.

/// A root in a consonant: padhta, padhoonga, padhega, padha, padhiye.
Verb regular(std::array<std::string, 4> english, const std::string& root, std::string particle = "") {
  const auto& [base, third, ing, past] = english;
  const std::array perfective = {root + "a", root + "i", root + "e", root + "in"};
  return {base, third, ing, past, particle, "", root, root, root + "oonga", root + "e", perfective, root + "iye"};
}

/// A root in -aa is shortened as a separate word and takes a glide: khaata, kha raha, khaayega, khaaya, khaaiye.
Verb vocalic(std::array<std::string, 4> english, const std::string& root, const std::string& stem) {
  Verb verb = regular(english, root);
  verb.stem = stem;
  verb.future_stem = root + "ye";
  verb.perfective = {root + "ya", root + "yi", root + "ye", root + "yin"};
  return verb;
}

/// Verbs with irregular pasts: karna (kiya), dena (diya), peena (piya), jaana (gaya).
Verb irregular(Verb verb, std::string future_first, std::string future_stem, std::array<std::string, 4> perfective,
               std::string request) {
  verb.future_first = future_first;
  verb.future_stem = future_stem;
  verb.perfective = perfective;
  verb.request = request;
  return verb;
}

/// An element and karna, which conjugates: kamra saaf karta hai, usne kaam kiya.
Verb compound(std::array<std::string, 4> english, std::string element, Gender inner = Gender::masculine) {
  Verb verb = irregular(regular(english, "kar"), "karoonga", "kare", {"kiya", "ki", "kiye", "kin"}, "keejiye");
  verb.element = element;
  verb.inner = inner;
  return verb;
}

/// Intransitive: the past also agrees with the subject.
Verb intransitive(Verb verb) {
  verb.takes_ne = false;
  return verb;
}

template <class Entry>
const Entry& find(const std::vector<Entry>& entries, std::string_view english) {
  for (const Entry& entry : entries)
    if (entry.english == english) return entry;
  fail("toy lexicon", "expected a word of the lexicon; got '{}'", english);
}

}  // namespace

const std::vector<Noun>& nouns() {
  static const std::vector<Noun> table = {
      masculine_a("boy", "boys", "ladk", person),
      feminine_i("girl", "girls", "ladki", person),
      masculine("man", "men", "aadmi", person),
      feminine("woman", "women", "aurat", person),
      masculine_a("child", "children", "bacch", person),
      masculine("friend", "friends", "dost", person),
      masculine("brother", "brothers", "bhaai", person),
      feminine("sister", "sisters", "bahan", person),
      honorific("father", "fathers", Gender::masculine, "pitaji"),
      honorific("mother", "mothers", Gender::feminine, "maataji"),
      honorific("grandmother", "grandmothers", Gender::feminine, "daadi"),
      honorific("teacher", "teachers", Gender::masculine, "adhyaapak"),
      masculine_a("dog", "dogs", "kutt", animal),
      feminine_i("cat", "cats", "billi", animal),
      feminine_iya("bird", "birds", "chidiy", animal),
      feminine("book", "books", "kitaab", text),
      feminine_i("letter", "letters", "chitthi", text),
      masculine("newspaper", "newspapers", "akhbaar", text),
      feminine_i("story", "stories", "kahaani", tale),
      masculine_a("song", "songs", "gaan", tale),
      masculine("apple", "apples", "seb", fruit),
      masculine("mango", "mangoes", "aam", fruit),
      masculine_a("banana", "bananas", "kel", fruit),
      feminine_i("bread", "", "roti", food),
      masculine("water", "", "paani", food),
      masculine("milk", "", "doodh", food),
      feminine("tea", "", "chaay", food),
      masculine_a("door", "doors", "darvaaz", thing),
      feminine_i("window", "windows", "khidki", thing),
      feminine("table", "tables", "mez", thing),
      feminine_i("chair", "chairs", "kursi", thing),
      feminine_i("car", "cars", "gaadi", thing),
      masculine("flower", "flowers", "phool", flora),
      masculine("tree", "trees", "ped", flora),
      masculine("house", "houses", "ghar", place),
      masculine_a("room", "rooms", "kamr", place),
      masculine_a("garden", "gardens", "bageech", place),
      masculine("market", "markets", "baazaar", place),
      masculine("school", "schools", "skool", place),
      masculine("city", "cities", "shahar", place),
      masculine("village", "villages", "gaanv", place),
      feminine("shop", "shops", "dukaan", place),
      masculine("world", "", "vishva", place),
  };
  return table;
}

const std::vector<Adjective>& adjectives() {
  static const std::vector<Adjective> table = {
      {"good", "acch", true, tale | person | animal | text | fruit | food | thing | flora | place},
      {"bad", "bur", true, tale | person | animal | text},
      {"big", "bad", true, animal | text | fruit | thing | flora | place},
      {"small", "chhot", true, person | animal | text | fruit | thing | flora | place},
      {"new", "nay", true, tale | text | thing | place},
      {"old", "puraan", true, tale | text | thing | place},
      {"beautiful", "sundar", false, tale | person | animal | flora | place},
      {"happy", "khush", false, person | animal},
      {"sad", "udaas", false, person},
      {"hungry", "bhookh", true, person | animal},
      {"thirsty", "pyaas", true, person | animal},
      {"tall", "lamb", true, person},
      {"red", "laal", false, thing | flora},
      {"yellow", "peel", true, thing | flora | fruit},
      {"black", "kaal", true, thing | animal},
      {"white", "safed", false, thing | animal},
      {"hot", "garam", false, food},
      {"cold", "thand", true, food},
      {"sweet", "meeth", true, fruit},
      {"clean", "saaf", false, thing | place},
      {"expensive", "mahang", true, text | fruit | thing},
      {"cheap", "sast", true, text | fruit | thing},
  };
  return table;
}

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table = {
      regular({"read", "reads", "reading", "read"}, "padh"),
      regular({"write", "writes", "writing", "wrote"}, "likh"),
      vocalic({"eat", "eats", "eating", "ate"}, "khaa", "kha"),
      irregular(vocalic({"drink", "drinks", "drinking", "drank"}, "pee", "pi"), "piyoonga", "piye",
                {"piya", "pi", "piye", "pin"}, "peejiye"),
      regular({"look", "looks", "looking", "looked"}, "dekh", "at"),
      regular({"buy", "buys", "buying", "bought"}, "khareed"),
      regular({"open", "opens", "opening", "opened"}, "khol"),
      vocalic({"make", "makes", "making", "made"}, "banaa", "bana"),
      irregular(regular({"give", "gives", "giving", "gave"}, "de"), "doonga", "de", {"diya", "di", "diye", "din"},
                "deejiye"),
      compound({"close", "closes", "closing", "closed"}, "band"),
      compound({"clean", "cleans", "cleaning", "cleaned"}, "saaf"),
      compound({"do", "does", "doing", "did"}, ""),
      compound({"work", "works", "working", "worked"}, "kaam"),
      compound({"rest", "rests", "resting", "rested"}, "aaraam"),
      compound({"talk", "talks", "talking", "talked"}, "baat", Gender::feminine),
      intransitive(irregular(vocalic({"go", "goes", "going", "went"}, "jaa", "ja"), "jaaoonga", "jaaye",
                             {"gaya", "gayi", "gaye", "gayin"}, "jaaiye")),
      intransitive(vocalic({"come", "comes", "coming", "came"}, "aa", "aa")),
      intransitive(regular({"run", "runs", "running", "ran"}, "daud")),
  };
  return table;
}

const std::vector<Determiner>& determiners() {
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
      {"my", "mer", "mer", true, true, true, Owner::i},
      {"our", "hamaar", "hamaar", true, true, true, Owner::we},
      {"your", "aapk", "aapk", true, true, true, Owner::you},
      {"his", "usk", "usk", true, true, true, Owner::third},
      {"her", "usk", "usk", true, true, true, Owner::third},
      {"their", "unk", "unk", true, true, true, Owner::third},
  };
  return table;
}

const Noun& noun(std::string_view english) { return find(nouns(), english); }
const Adjective& adjective(std::string_view english) { return find(adjectives(), english); }
const Verb& verb(std::string_view english) { return find(verbs(), english); }
const Determiner& determiner(std::string_view english) { return find(determiners(), english); }

}  // namespace glossa::toy
