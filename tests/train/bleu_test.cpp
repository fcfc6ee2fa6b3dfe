#include "train/bleu.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "autograd/check.h"

using namespace glossa;

namespace {

BleuOptions options_of(const nlohmann::json& wanted) {
  const std::map<std::string, BleuSmoothing> smoothings{{"exp", BleuSmoothing::exponential},
                                                        {"floor", BleuSmoothing::floor},
                                                        {"add-k", BleuSmoothing::add_k},
                                                        {"none", BleuSmoothing::none}};
  return {wanted["lowercase"], smoothings.at(wanted["smoothing"]), wanted["smoothing_value"],
          wanted["effective_order"]};
}

}  // namespace

TEST_CASE("bleu and its tokenizer agree with sacreBLEU") {
  const auto cases = nlohmann::json::parse(std::ifstream(GLOSSA_SOURCE_DIR "/tests/golden/metrics.json"));
  REQUIRE(cases.size() >= 15);
  for (const auto& golden : cases) {
    CAPTURE(golden["name"]);
    const std::vector<std::string> hypotheses = golden["hypotheses"], references = golden["references"];
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
      CHECK(tokenize_13a(hypotheses[i]) == golden["tokens_13a"][i].get<std::string>());
    }
    for (const auto& wanted : golden["bleu"]) {
      const BleuOptions options = options_of(wanted);
      CAPTURE(wanted["signature"]);
      const BleuScore got = corpus_bleu(hypotheses, references, options);
      CHECK(std::abs(got.score - wanted["score"].get<double>()) <= 1e-9);
      for (std::size_t n = 0; n < 4; ++n) {
        CHECK(std::abs(got.precisions[n] - wanted["precisions"][n].get<double>()) <= 1e-9);
      }
      CHECK(std::abs(got.brevity_penalty - wanted["brevity_penalty"].get<double>()) <= 1e-9);
      CHECK(std::abs(got.ratio - wanted["ratio"].get<double>()) <= 1e-9);
      CHECK(got.hypothesis_length == wanted["hypothesis_length"]);
      CHECK(got.reference_length == wanted["reference_length"]);
      CHECK(bleu_signature(options) == wanted["signature"].get<std::string>() + "|version:glossa-0.1.0");
    }
  }
}

TEST_CASE("bleu by hand: 5 of 6 words, 3 of 5 pairs, 2 of 4 triples, 1 of 3 quadruples") {
  const std::vector<std::string> hypothesis{"a b c d x e"}, reference{"a b c d y e"};
  const BleuScore got = corpus_bleu(hypothesis, reference);
  CHECK(got.score == doctest::Approx(100 * std::pow(5.0 / 6 * 3 / 5 * 2 / 4 * 1 / 3, 0.25)));
  CHECK(got.brevity_penalty == 1);
}

TEST_CASE("13a parts symbols from words: a class of ASCII, points beside what is no digit, hyphens after digits") {
  const std::string symbols = "{|}~[\\]^_`!\"#$%&()*+:;<=>?@/";  // of mteval-v13a.pl
  for (char c = '!'; c <= '~'; ++c) {
    const bool parted = symbols.find(c) != std::string::npos || c == '.' || c == ',';
    CHECK(tokenize_13a(std::string("x") + c + "y") ==
          (parted ? std::string("x ") + c + " y" : std::string("x") + c + "y"));
  }
  CHECK(tokenize_13a("1.5 1,000 1.x x.5 3-4 x-4") == "1.5 1,000 1 . x x . 5 3 - 4 x-4");
}

TEST_CASE("bleu of nothing is 0, and unequal counts of lines are an Error") {
  CHECK(corpus_bleu({}, {}).score == 0);
  const std::vector<std::string> one{"a"};
  CHECK_THROWS_AS(corpus_bleu(one, {}), Error);
  CHECK(bleu_signature() == "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:glossa-0.1.0");
}
