#include "data/toy/corpus.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/check.h"
#include "base/random.h"
#include "data/text/text_file.h"
#include "data/toy/topics.h"
#include "tests/support/temporary_folder.h"

namespace glossa {

using testing::names_in;
using testing::TemporaryFolder;

namespace {

std::vector<ToyPair> all_pairs(const ToySplits& splits) {
  std::vector<ToyPair> pairs = splits.train;
  pairs.insert(pairs.end(), splits.valid.begin(), splits.valid.end());
  pairs.insert(pairs.end(), splits.test.begin(), splits.test.end());
  return pairs;
}

std::set<std::string> side(const std::vector<ToyPair>& pairs, std::string ToyPair::*member) {
  std::set<std::string> lines;
  for (const ToyPair& pair : pairs) lines.insert(pair.*member);
  return lines;
}

bool disjoint(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::none_of(a, [&](const std::string& line) { return b.contains(line); });
}

/// toy_corpus, which generates the whole language each time, with its results kept.
const ToySplits& corpus(std::int64_t pairs, std::uint64_t seed) {
  static std::map<std::pair<std::int64_t, std::uint64_t>, ToySplits> known;
  const auto [place, is_new] = known.try_emplace({pairs, seed});
  if (is_new) place->second = toy_corpus(pairs, seed);
  return place->second;
}

/// The number of sentences in which each word occurs.
std::map<std::string, int> word_counts(const std::vector<ToyPair>& pairs, std::string ToyPair::*member) {
  std::map<std::string, int> counts;
  for (const ToyPair& pair : pairs) {
    std::istringstream line(pair.*member);
    std::set<std::string> words;
    for (std::string word; line >> word;) words.insert(word);
    for (const std::string& word : words) ++counts[word];
  }
  return counts;
}

/// Every pair of the language by its English.
const std::map<std::string, std::string>& dictionary() {
  static const std::map<std::string, std::string> hindi = [] {
    std::map<std::string, std::string> all;
    for (const toy::Topic& topic : toy::toy_language())
      for (const auto& [name, pairs] : topic.groups)
        for (const ToyPair& pair : pairs)
          if (!all.emplace(pair.english, pair.hindi).second) FAIL_CHECK(pair.english);
    return all;
  }();
  return hindi;
}

}  // namespace

TEST_CASE("the toy corpus is a function of size and seed") {
  const std::vector<ToyPair>& first = corpus(5000, 7).train;
  CHECK(first == toy_corpus(5000, 7).train);
  CHECK(first != corpus(5000, 8).train);
  std::string text;
  for (std::size_t i = 0; i < 1000; ++i) text += first[i].english + '\t' + first[i].hindi + '\n';
  CHECK(hash_name(text) == 12581827306343784534u);
}

TEST_CASE("50,000 pairs are distinct with one Hindi each, and splits are disjoint on both sides") {
  const ToySplits& splits = corpus(50000, 1);
  const std::vector<ToyPair> pairs = all_pairs(splits);
  CHECK(pairs.size() == 50000);
  CHECK(side(pairs, &ToyPair::english).size() == 50000);
  CHECK(splits.valid.size() >= 500);
  CHECK(splits.test.size() >= 800);
  CHECK(splits.train.size() >= 47000);
  for (const ToySplits* all : {&splits, &corpus(5000, 8)})
    for (const auto member : {&ToyPair::english, &ToyPair::hindi}) {
      const auto train = side(all->train, member), valid = side(all->valid, member), test = side(all->test, member);
      CHECK(disjoint(train, valid));
      CHECK(disjoint(train, test));
      CHECK(disjoint(valid, test));
    }
}

TEST_CASE("the two pairs of the article are in every training set") {
  for (const auto& [pairs, seed] : {std::pair<std::int64_t, std::uint64_t>{2, 1}, {50000, 1}, {5000, 8}}) {
    const std::vector<ToyPair>& train = corpus(pairs, seed).train;
    CHECK(std::ranges::count(train, ToyPair{"hello world", "namaste vishva"}) == 1);
    CHECK(std::ranges::count(train, ToyPair{"how are you", "aap kaise ho"}) == 1);
  }
}

TEST_CASE("a sentence is in the same split whatever the seed and size") {
  const ToySplits &a = corpus(50000, 1), &b = corpus(5000, 8);
  CHECK(disjoint(side(a.train, &ToyPair::hindi), side(b.test, &ToyPair::hindi)));
  CHECK(disjoint(side(a.train, &ToyPair::english), side(b.valid, &ToyPair::english)));
}

TEST_CASE("every word form occurs often enough to be learned") {
  const ToySplits& splits = corpus(50000, 1);
  for (const auto member : {&ToyPair::english, &ToyPair::hindi}) {
    const std::map<std::string, int> counts = word_counts(splits.train, member);
    CHECK(counts.size() <= 450);
    for (const auto& entry : counts) CHECK_MESSAGE(entry.second >= 25, entry.first);
    for (const auto& entry : word_counts(splits.test, member)) CHECK_MESSAGE(counts.contains(entry.first), entry.first);
  }
}

TEST_CASE("the grammar says what a Hindi speaker would") {
  const std::map<std::string, std::string>& hindi = dictionary();
  const ToyPair expected[] = {
      // greetings
      {"hello world", "namaste vishva"},
      {"how are you", "aap kaise ho"},
      {"good morning brother how are you", "suprabhaat bhaai aap kaise ho"},
      {"thank you for the tea", "chaay ke liye dhanyavaad"},
      // present habitual: person, number, gender, honorifics
      {"i read the book", "main kitaab padhta hoon"},
      {"she reads the book", "vah kitaab padhti hai"},
      {"you read the book", "aap kitaab padhte hain"},
      {"my father reads the book", "mere pitaji kitaab padhte hain"},
      {"my mother drinks the tea", "meri maataji chaay peeti hain"},
      {"i do not eat the apple", "main seb nahin khaata hoon"},
      // progressive, present and past
      {"the boy is eating the mango", "ladka aam kha raha hai"},
      {"the girls are going to the school", "ladkiyaan skool ja rahi hain"},
      {"her grandmother was making the tea", "uski daadi chaay bana rahi thin"},
      {"i am not working", "main kaam nahin kar raha hoon"},
      // past: ne and agreement with the object
      {"the boy read the book", "ladke ne kitaab padhi"},
      {"she ate the apple", "usne seb khaaya"},
      {"i bought two books", "maine do kitaaben khareedin"},
      {"we ate three bananas", "hamne teen kele khaaye"},
      {"they closed the door", "unhone darvaaza band kiya"},
      {"he did not close the window", "usne khidki band nahin ki"},
      {"the women looked at the dog", "auraton ne kutte ko dekha"},
      {"the child talked to our father", "bacche ne hamaare pitaji se baat ki"},
      // past of intransitives
      {"the girl went to the market", "ladki baazaar gayi"},
      {"my mother came from the city", "meri maataji shahar se aayin"},
      // future
      {"i will go to the market tomorrow", "main kal baazaar jaaoonga"},
      {"she will write the letter", "vah chitthi likhegi"},
      {"we will drink the water", "ham paani piyenge"},
      {"my mother will open two doors", "meri maataji do darvaaze kholengi"},
      {"he will give two apples to me", "vah mujhe do seb dega"},
      // can and want to
      {"can she open the door", "kya vah darvaaza khol sakti hai"},
      {"the boy cannot read the letter", "ladka chitthi nahin padh sakta hai"},
      {"the woman does not want to drink the water", "aurat paani peena nahin chaahti hai"},
      // time and place
      {"i bought the house yesterday", "maine kal ghar khareeda"},
      {"our brother is resting under the tree", "hamaara bhaai ped ke neeche aaraam kar raha hai"},
      // possessives, apna, oblique determiners and adjectives
      {"i will look at my old letter", "main apni puraani chitthi dekhoonga"},
      {"we worked with our sisters", "hamne apni bahanon ke saath kaam kiya"},
      {"is your brother hungry", "kya aapka bhaai bhookha hai"},
      {"he eats with me", "vah mere saath khaata hai"},
      {"this man bought the newspaper", "is aadmi ne akhbaar khareeda"},
      {"the small boy ate the apple", "chhote ladke ne seb khaaya"},
      {"she bought an old house", "usne ek puraana ghar khareeda"},
      {"we looked at those birds", "hamne un chidiyon ko dekha"},
      // being
      {"the apples were very sweet", "seb bahut meethe the"},
      {"my father will be happy", "mere pitaji khush honge"},
      {"the sister of the boy is tall", "ladke ki bahan lambi hai"},
      {"this is my father", "ye mere pitaji hain"},
      {"these are our books", "ye hamaari kitaaben hain"},
      {"this is not the car of ram", "yah raam ki gaadi nahin hai"},
      {"there are two birds in the garden", "bageeche mein do chidiyaan hain"},
      {"there is no book on the table", "mez par koi kitaab nahin hai"},
      // having, wanting, liking
      {"i have a book", "mere paas ek kitaab hai"},
      {"i have two sisters", "meri do bahanen hain"},
      {"the boy had three apples", "ladke ke paas teen seb the"},
      {"i want the water", "mujhe paani chaahiye"},
      {"do you like tea", "kya aapko chaay pasand hai"},
      {"they do not like those letters", "unhen ve chitthiyaan pasand nahin hain"},
      // questions
      {"where are you going", "aap kahaan ja rahe hain"},
      {"where is my book", "meri kitaab kahaan hai"},
      {"what did he buy", "usne kya khareeda"},
      {"who closed the window", "khidki kisne band ki"},
      {"when will they come", "ve kab aayenge"},
      {"why does she not eat the bread", "vah roti kyon nahin khaati hai"},
      {"how is your mother", "aapki maataji kaisi hain"},
      {"how many books does he have", "uske paas kitni kitaaben hain"},
      {"whose books are these", "ye kiski kitaaben hain"},
      // requests
      {"please do not close the window", "kripaya khidki band mat keejiye"},
      {"give the book to me", "mujhe kitaab deejiye"},
      {"read your letter", "apni chitthi padhiye"},
  };
  for (const ToyPair& pair : expected) {
    const auto found = hindi.find(pair.english);
    CHECK_MESSAGE(found != hindi.end(), pair.english);
    if (found != hindi.end()) CHECK(found->second == pair.hindi);
  }
}

TEST_CASE("ambiguous and strange sentences are left out") {
  const std::map<std::string, std::string>& hindi = dictionary();
  for (const char* english : {
           "he looks at his grandmother",           // his own or another's
           "i do not read a book",                  // ek under negation
           "we look at my tree", "i looked at me",  // oneself
           "ram looks at ram",                      // oneself
       })
    CHECK_FALSE(hindi.contains(english));
  CHECK(hindi.at("they read the book") == "ve kitaab padhte hain");
  CHECK(hindi.at("they read the book yesterday") == "unhone kal kitaab padhi");
}

TEST_CASE("sentences are plain lower-case words") {
  for (const auto& [english, hindi] : dictionary())
    for (const std::string& line : {english, hindi}) {
      const auto words = 1 + std::ranges::count(line, ' ');
      const bool plain = std::ranges::all_of(line, [](char c) { return c == ' ' || (c >= 'a' && c <= 'z'); }) &&
                         line.find("  ") == std::string::npos && line.front() != ' ' && line.back() != ' ';
      if (!plain || words < 2 || words > 10) FAIL_CHECK(line);
    }
}

TEST_CASE("a size that the grammar cannot yield is a misuse error naming the maximum") {
  const auto max_pairs = static_cast<std::int64_t>(dictionary().size());
  CHECK(max_pairs >= 100000);
  for (const std::int64_t pairs : {std::int64_t{1}, max_pairs + 1}) {
    try {
      toy_corpus(pairs, 1, "data.train");
      FAIL("expected an Error");
    } catch (const Error& error) {
      CHECK(error.kind() == Error::Kind::misuse);
      CHECK(
          std::string(error.what()).starts_with("[data.train] expected 2 to " + std::to_string(max_pairs) + " pairs"));
    }
  }
  CHECK(all_pairs(toy_corpus(max_pairs, 1)).size() == static_cast<std::size_t>(max_pairs));
}

TEST_CASE("the toy corpus is written as six files of lines") {
  const TemporaryFolder folder;
  const ToyPair hello = {"hello world", "namaste vishva"}, read = {"i read the book", "main kitaab padhta hoon"};
  const ToySplits splits = {{hello, read}, {read}, {read, hello}};
  write_toy(folder / "toy", splits);
  const auto lines = [&](const std::string& name) {
    std::ifstream file(folder / "toy" / name);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  };
  const std::vector<std::string> english = lines("test.en"), hindi = lines("test.hi");
  REQUIRE(english.size() == splits.test.size());
  REQUIRE(hindi.size() == splits.test.size());
  for (std::size_t i = 0; i < english.size(); ++i) CHECK(ToyPair{english[i], hindi[i]} == splits.test[i]);
  CHECK(lines("train.en").size() == splits.train.size());
  CHECK(lines("valid.hi").size() == splits.valid.size());
  CHECK(names_in(folder / "toy").size() == 6);
}

TEST_CASE("the toy corpus may be overwritten, another text may not") {
  const TemporaryFolder folder;
  const ToySplits splits = {{{"hello world", "namaste vishva"}}, {}, {}};
  write_toy(folder.path(), splits);
  CHECK_NOTHROW(write_toy(folder.path(), splits));
  std::ofstream(folder / "valid.en") << "mine\n";
  std::filesystem::remove(folder / "test.en");
  try {
    write_toy(folder.path(), splits);
    FAIL("expected an Error");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find(folder / "valid.en") != std::string::npos);
  }
  CHECK(read_file(folder / "valid.en") == "mine\n");
  CHECK_FALSE(std::filesystem::exists(folder / "test.en"));  // nothing was written
}

TEST_CASE("a file that cannot be written is named and nothing is left behind") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "train.hi");  // a folder in the file's place
  try {
    write_toy(folder.path(), {{{"hello world", "namaste vishva"}}, {}, {}});
    FAIL("expected an Error");
  } catch (const Error& error) {
    CHECK(error.kind() == Error::Kind::failure);
    CHECK(std::string(error.what()).find(folder / "train.hi") != std::string::npos);
  }
  CHECK(names_in(folder.path()) == std::vector<std::string>{"train.hi"});
}

}  // namespace glossa
