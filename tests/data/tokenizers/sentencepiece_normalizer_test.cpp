#include "data/tokenizers/sentencepiece_normalizer.h"

#include <doctest/doctest.h>

#include "data/text/utf8.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;
using Sentences = std::vector<std::string>;

namespace {

const Sentences joiners = {"\u200C", "\u200D"};

}  // namespace

TEST_CASE("words with joiners stay one word, through training, encoding and decoding") {
  struct Row {
    const char* language;
    Sentences words;
  };
  for (const Row& row : {
           Row{"Hindi", {"क्\u200Cलीनिक", "क्\u200Dष", "रॉक्\u200Cस्टार"}},
           Row{"Persian",
               {"می\u200Cخواهم", "کتاب\u200Cها", "نمی\u200Cشود", "خانه\u200Cای", "نیم\u200Cفاصله", "کووید\u200C۱۹"}},
           Row{"Bengali", {"র\u200C্যাব", "র\u200D্যালি", "উদ্\u200Cযাপন", "হঠাত্\u200D"}},
           Row{"Malayalam", {"അവന്\u200D", "അവര്\u200D", "തമിഴ്\u200Cനാട്", "സോഫ്റ്റ്\u200Cവെയര്\u200D"}},
           Row{"Arabic", {"ه\u200D", "۱۴\u200Cم", "لا\u200Cإله"}},
           Row{"Sinhala", {"ශ්\u200Dරී", "ක්\u200Dෂ"}},
           Row{"German", {"Auf\u200Clage"}},
           Row{"emoji", {"👩\u200D💻"}},
       })
    for (const char* rule : {"nmt_nfkc", "nmt_nfkc_cf", "nfkc", "identity"}) {
      CAPTURE(row.language);
      CAPTURE(rule);
      std::string line;
      for (const std::string& word : row.words) line += (line.empty() ? "" : " ") + word;
      const Sentences text(5, std::string(rule).ends_with("_cf") ? utf8::lower_case(line) : line);
      CHECK_EQ(SentencepieceNormalizer(rule, text)(text[0]), text[0]);
      const auto tokenizer = train_sentencepiece(text, {.vocabulary_size = 200, .normalization = rule});
      const std::vector<int> ids = tokenizer->encode(text[0]);
      CHECK_EQ(std::ranges::count(ids, 0), 0);
      CHECK_EQ(tokenizer->decode(ids), text[0]);
    }
}

TEST_CASE("invisible characters neither split words nor make new ones; U+FFFD stays") {
  for (const char* rule : {"nmt_nfkc", "nmt_nfkc_cf"}) {
    const SentencepieceNormalizer with(rule, joiners), without(rule, {});
    struct Row {
      const char *text, *with, *without;  // without: if the training text has no joiner
    };
    for (const Row& row : {
             Row{"a\u200Cb", "a\u200Cb", "ab"},
             {"a\u200Db", "a\u200Db", "ab"},
             {"a \u200Cb", "a b", "a b"},
             {"a\u200C b", "a b", "a b"},
             {"a \u200C\u200C b", "a b", "a b"},
             {"a\u200C\u200Cb", "a\u200Cb", "ab"},
             {"a\u200C\u200C\u200C b", "a b", "a b"},
             {"a\u00A0\u200Cb", "a b", "a b"},
             {"a\u200C\u200Bb", "a b", "a b"},
             {" \u200Ca", "a", "a"},
             {"a\u200C ", "a", "a"},
             {"\u200Ca\u200C", "\u200Ca\u200C", "a"},  // no rule can express the ends of a text
             {"a\u200Bb", "a b", "a b"},
             {"\u200Bab\u200B", "ab", "ab"},
             {"a\u200Eb\u200Fc\uFEFFd", "abcd", "abcd"},
             {"\uFEFF\u200F\u200Eab\u200F", "ab", "ab"},
             {"\u200F ab \u200F cd \u200E", "ab cd", "ab cd"},
             {"\u200E", "", ""},
             {"a\uFFFDb", "a\uFFFDb", "a\uFFFDb"},
             {"\uFFFD a \uFFFD", "\uFFFD a \uFFFD", "\uFFFD a \uFFFD"},
         }) {
      CAPTURE(rule);
      CAPTURE(row.text);
      CHECK_EQ(with(row.text), row.with);
      CHECK_EQ(without(row.text), row.without);
    }
  }
}

TEST_CASE("all other text is normalized as by the library") {
  // The rules of nfkc differ from those of nmt_nfkc only in controls, marks and U+FF5E.
  const SentencepieceNormalizer ours("nmt_nfkc", joiners), nfkc("nfkc", {});
  Sentences different;
  for (char32_t c = 0x20; c < 0x10000; c += c < 0x3400 || c >= 0xF900 ? 1 : 97) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text = "a";
    utf8::append(text, c);
    text += "\u0301\u3099\u0338b";
    if (ours(text) != nfkc(text)) utf8::append(different.emplace_back(), c);
  }
  CHECK_EQ(different, Sentences{"\x7F", "\xC2\x8F", "\xC2\x9F", "\u1680", "\u200B", "\u200E", "\u200F", "\u2028",
                                "\u2029", "\uFEFF", "\uFF5E"});
  CHECK_EQ(ours("\tﬁ Ⅳ\u3000ｶﾞ e\u0301 \u0915\u093C\u0001"), "fi IV ガ é \u0915\u093C");
}

TEST_CASE("text without invisible characters gives the library's pieces") {
  const Sentences text = {"the dog sleeps", "मेरा घर", "e\u0301te\u0301 ﬁn"};
  const auto tokenizer = train_sentencepiece(text, {.vocabulary_size = 60});
  const auto plain = train_sentencepiece(text, {.vocabulary_size = 60, .normalization = "nfkc"});
  REQUIRE_EQ(tokenizer->vocabulary_size(), plain->vocabulary_size());
  for (int id = 0; id < plain->vocabulary_size(); ++id) CHECK_EQ(tokenizer->token(id), plain->token(id));
  for (const std::string& line : text) CHECK_EQ(tokenizer->encode(line), plain->encode(line));
}

TEST_CASE("an unknown rule is an error") {
  CHECK(contains(error_of<Error>([] { SentencepieceNormalizer("nothing", {}); }), "cannot normalize by nothing"));
}
