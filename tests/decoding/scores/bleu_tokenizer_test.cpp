#include "decoding/scores/bleu_tokenizer.h"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <set>

#include "data/text/utf8.h"
#include "tests/decoding/scores/metrics_golden.h"

using namespace glossa;
using glossa::testing::metrics_golden;

namespace {

/// The tokens of a line with single spaces between them.
std::string joined(BleuTokenizer tokenizer, std::string_view line) {
  return fmt::format("{}", fmt::join(bleu_tokens(tokenizer, line), " "));
}

}  // namespace

TEST_CASE("bleu's tokenizers agree with sacreBLEU's") {
  const std::vector<std::string> tokenizers = metrics_golden()["tokenizers"];
  REQUIRE_EQ(tokenizers, std::vector<std::string>(bleu_tokenizer_names.begin(), bleu_tokenizer_names.end()));
  for (std::size_t t = 0; t < tokenizers.size(); ++t) {
    CAPTURE(tokenizers[t]);
    const BleuTokenizer tokenizer = bleu_tokenizer_of(tokenizers[t]).value();
    CHECK_EQ(name(tokenizer), tokenizers[t]);
    for (const auto& golden : metrics_golden()["cases"])
      for (std::size_t i = 0; i < golden["hypotheses"].size(); ++i)
        CHECK_EQ(joined(tokenizer, golden["hypotheses"][i].get<std::string>()),
                 golden["tokens"][t][i].get<std::string>());
    for (const auto& golden : metrics_golden()["drawn"])
      CHECK_EQ(joined(tokenizer, golden["hypotheses"][0].get<std::string>()), golden["tokens"][t].get<std::string>());
  }
  CHECK_FALSE(bleu_tokenizer_of("ja-mecab").has_value());
}

TEST_CASE("13a separates symbols from words: a class of ASCII, points next to non-digits, hyphens after digits") {
  const std::string symbols = "{|}~[\\]^_`!\"#$%&()*+:;<=>?@/";  // of mteval-v13a.pl
  for (char c = '!'; c <= '~'; ++c) {
    const bool parted = symbols.find(c) != std::string::npos || c == '.' || c == ',';
    CHECK(joined(BleuTokenizer::mteval_13a, std::string("x") + c + "y") ==
          (parted ? std::string("x ") + c + " y" : std::string("x") + c + "y"));
  }
  CHECK(joined(BleuTokenizer::mteval_13a, "1.5 1,000 1.x x.5 3-4 x-4") == "1.5 1,000 1 . x x . 5 3 - 4 x-4");
}

TEST_CASE("the default tokenizer depends on the language's name, else on spaces in the text") {
  const std::vector<std::string> spaced{"the quick brown fox"}, unspaced{"すばしこい狐", "犬"}, nothing;
  for (const char* chinese : {"zh", "zh_TW", "ZH-Hans", "zho_Hant", "cmn"})
    CHECK(usual_bleu_tokenizer(chinese, spaced) == BleuTokenizer::chinese);
  for (const char* language : {"ja", "ja_JP", "jpn", "th", "lo", "km", "my", "ko"})
    CHECK(usual_bleu_tokenizer(language, spaced) == BleuTokenizer::characters);
  for (const char* language : {"de", "jav", "zhu", "", "target"}) {
    CHECK(usual_bleu_tokenizer(language, spaced) == BleuTokenizer::mteval_13a);
    CHECK(usual_bleu_tokenizer(language, nothing) == BleuTokenizer::mteval_13a);
    CHECK(usual_bleu_tokenizer(language, unspaced) == BleuTokenizer::characters);
  }
}

TEST_CASE("the default tokenizer of long words is 13a, of phrases with occasional spaces char") {
  std::vector<std::string> words{""}, phrases{""};
  for (int i = 0; i < 10; ++i) {
    words[0] += std::string(15, 'a') + " ";
    for (int k = 0; k < 25; ++k) phrases[0] += "ก";
    phrases[0] += " ";
  }
  CHECK(usual_bleu_tokenizer("", words) == BleuTokenizer::mteval_13a);
  CHECK(usual_bleu_tokenizer("", phrases) == BleuTokenizer::characters);
  CHECK(usual_bleu_tokenizer("es", std::vector<std::string>{"casa", "perro"}) == BleuTokenizer::mteval_13a);
}

TEST_CASE("white space that separates words is that of Python's str.split") {
  const std::set<char32_t> spaces = metrics_golden()["spaces"];
  for (char32_t c = 1; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string line = "a";
    utf8::append(line, c);
    const std::size_t words = bleu_tokens(BleuTokenizer::none, line + "b").size();
    if (words != (spaces.contains(c) ? 2 : 1)) FAIL_CHECK(static_cast<unsigned>(c), " makes ", words, " words");
  }
}
