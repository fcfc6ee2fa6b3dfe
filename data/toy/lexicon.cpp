#include "data/toy/lexicon.h"

#include <algorithm>

#include "base/check.h"

namespace glossa::toy {
namespace {

/// Nouns of one kind, and the adjectives that describe them.
struct WordsOfKind {
  unsigned kind;
  std::string_view adjectives, nouns;  ///< a noun's English singular and plural, gender, Hindi
};

constexpr WordsOfKind words_by_kind[] = {
    {person, "good, bad, small, beautiful, happy, sad, hungry, thirsty, tall",
     "boy boys m ladk-, girl girls f ladki, man men m aadmi, woman women f aurat, child children m bacch-, "
     "friend friends m dost, brother brothers m bhaai, sister sisters f bahan"},
    {person | respected, "",
     "father fathers m pitaji, mother mothers f maataji, grandmother grandmothers f daadi, "
     "teacher teachers m adhyaapak"},
    {animal, "good, bad, big, small, beautiful, happy, hungry, thirsty, black, white",
     "dog dogs m kutt-, cat cats f billi, bird birds f chidiya"},
    {text, "good, bad, big, small, new, old, expensive, cheap",
     "book books f kitaab, letter letters f chitthi, newspaper newspapers m akhbaar"},
    {tale, "good, bad, new, old, beautiful", "story stories f kahaani, song songs m gaan-"},
    {fruit, "good, big, small, yellow, sweet, expensive, cheap",
     "apple apples m seb, mango mangoes m aam, banana bananas m kel-"},
    {food, "good, hot, cold", "bread - f roti, water - m paani, milk - m doodh, tea - f chaay"},
    {thing | fixture, "", "door doors m darvaaz-, window windows f khidki"},
    {thing, "good, big, small, new, old, red, yellow, black, white, clean, expensive, cheap",
     "table tables f mez, chair chairs f kursi, car cars f gaadi"},
    {flora, "good, big, small, beautiful, red, yellow", "flower flowers m phool"},
    {flora | fixture, "", "tree trees m ped"},
    {place, "good, big, small, new, old, beautiful, clean",
     "house houses m ghar, room rooms m kamr-, garden gardens m bageech-, market markets m baazaar, "
     "school schools m skool, city cities m shahar, village villages m gaanv, shop shops f dukaan, world - m vishva"},
};

template <class Entry>
const Entry& find(const std::vector<Entry>& entries, std::string_view english) {
  for (const Entry& entry : entries)
    if (entry.english == english) return entry;
  fail("toy lexicon", "expected a word of the lexicon; got '{}'", english);
}

}  // namespace

std::vector<std::string_view> split(std::string_view list, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = list.find(separator)) != std::string_view::npos;) {
    parts.push_back(list.substr(0, end));
    list.remove_prefix(end + separator.size());
  }
  parts.push_back(list);
  return parts;
}

const std::vector<Noun>& nouns() {
  static const std::vector<Noun> all = [] {
    std::vector<Noun> entries;
    for (const WordsOfKind& row : words_by_kind)
      for (const std::string_view entry : split(row.nouns, ", ")) {
        const auto words = split(entry, " ");
        const Gender gender = words[2] == "f" ? Gender::feminine : Gender::masculine;
        entries.push_back({std::string(words[0]), std::string(words[1]), gender, std::string(words[3]), row.kind});
      }
    return entries;
  }();
  return all;
}

const std::vector<Adjective>& adjectives() {
  static const std::vector<Adjective> all = [] {
    std::vector<Adjective> entries = {
        {"good", "acch-"},        {"bad", "bur-"},       {"big", "bad-"},         {"small", "chhot-"},
        {"new", "nay-"},          {"old", "puraan-"},    {"beautiful", "sundar"}, {"happy", "khush"},
        {"sad", "udaas"},         {"hungry", "bhookh-"}, {"thirsty", "pyaas-"},   {"tall", "lamb-"},
        {"red", "laal"},          {"yellow", "peel-"},   {"black", "kaal-"},      {"white", "safed"},
        {"hot", "garam"},         {"cold", "thand-"},    {"sweet", "meeth-"},     {"clean", "saaf"},
        {"expensive", "mahang-"}, {"cheap", "sast-"},
    };
    for (Adjective& entry : entries)
      for (const WordsOfKind& row : words_by_kind)
        if (std::ranges::count(split(row.adjectives, ", "), entry.english)) entry.kinds |= row.kind;
    return entries;
  }();
  return all;
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
       .inner = Gender::feminine},
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
  static const Stems irregular[] = {
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
  using enum Numbers;
  using enum Owner;
  static const std::vector<Determiner> table = {
      {"the", "", "", both, true, none},
      {"", "", "", both, false, none},
      {"a", "ek", "ek", singular, false, none},
      {"no", "koi", "kisi", singular, false, none},
      {"this", "yah", "is", singular, true, none},
      {"that", "vah", "us", singular, true, none},
      {"these", "ye", "in", plural, true, none},
      {"those", "ve", "un", plural, true, none},
      {"two", "do", "do", plural, false, none},
      {"three", "teen", "teen", plural, false, none},
      {"four", "chaar", "chaar", plural, false, none},
      {"five", "paanch", "paanch", plural, false, none},
      {"many", "kai", "kai", plural, false, none},
      {"my", "mer-", "mer-", both, true, i},
      {"our", "hamaar-", "hamaar-", both, true, we},
      {"your", "aapk-", "aapk-", both, true, you},
      {"his", "usk-", "usk-", both, true, third},
      {"her", "usk-", "usk-", both, true, third},
      {"their", "unk-", "unk-", both, true, third},
      {"whose", "kisk-", "kisk-", both, true, none},
      {"how many", "kitn-", "kitn-", plural, true, none},
  };
  return find(table, english);
}

const Preposition& preposition(std::string_view english) {
  static const std::vector<Preposition> table = {
      {"in", "mein", Case::oblique},         {"on", "par", Case::oblique},
      {"from", "se", Case::oblique},         {"to", "", Case::oblique},
      {"under", "neeche", Case::genitive},   {"near", "paas", Case::genitive},
      {"behind", "peechhe", Case::genitive}, {"in front of", "saamne", Case::genitive},
      {"with", "saath", Case::genitive},     {"for", "liye", Case::genitive},
  };
  return find(table, english);
}

const Adverb& adverb(std::string_view english) {
  static const std::vector<Adverb> table = {
      {"every day", "roz"}, {"now", "abhi"}, {"yesterday", "kal"}, {"today", "aaj"}, {"tomorrow", "kal"},
      {"where", "kahaan"},  {"when", "kab"}, {"why", "kyon"},      {"how", "kais-"}, {"who", "kaun"},
  };
  return find(table, english);
}

const Noun& noun(std::string_view english) { return find(nouns(), english); }

}  // namespace glossa::toy
