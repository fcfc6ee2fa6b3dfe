#include "decoding/scores/bleu.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <vector>

#include "base/check.h"
#include "base/version.h"
#include "tests/decoding/scores/metrics_golden.h"

using namespace glossa;
using glossa::testing::metrics_golden;
using glossa::testing::SeveralReferences;

namespace {

BleuOptions options_of(const nlohmann::json& wanted) {
  const std::map<std::string, BleuSmoothing> smoothings{{"exp", BleuSmoothing::exponential},
                                                        {"floor", BleuSmoothing::floor},
                                                        {"add-k", BleuSmoothing::add_k},
                                                        {"none", BleuSmoothing::none}};
  return {wanted["lowercase"], smoothings.at(wanted["smoothing"]), wanted["smoothing_value"], wanted["effective_order"],
          bleu_tokenizer_of(wanted["tokenizer"].get<std::string>()).value()};
}

}  // namespace

TEST_CASE("bleu agrees with sacreBLEU") {
  REQUIRE(metrics_golden()["cases"].size() >= 18);
  for (const auto& golden : metrics_golden()["cases"]) {
    CAPTURE(golden["name"]);
    const std::vector<std::string> hypotheses = golden["hypotheses"], references = golden["references"];
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
      CHECK(bleu_signature(options) ==
            wanted["signature"].get<std::string>() + "|version:glossa-" + std::string(program_version));
    }
  }
}

TEST_CASE("bleu agrees with sacreBLEU on drawn corpora of many scripts, with each tokenizer") {
  REQUIRE(metrics_golden()["drawn"].size() >= 200);
  for (const auto& golden : metrics_golden()["drawn"]) {
    CAPTURE(golden["name"]);
    const std::vector<std::string> hypotheses = golden["hypotheses"], references = golden["references"];
    const std::vector<std::string> tokenizers = metrics_golden()["tokenizers"];
    for (std::size_t i = 0; i < tokenizers.size(); ++i) {
      CAPTURE(tokenizers[i]);
      const BleuOptions options{.tokenizer = bleu_tokenizer_of(tokenizers[i]).value()};
      CHECK(std::abs(corpus_bleu(hypotheses, references, options).score - golden["bleu"][i].get<double>()) <= 1e-9);
    }
  }
}

TEST_CASE("bleu agrees with sacreBLEU on drawn corpora with several references") {
  REQUIRE(metrics_golden()["several"].size() >= 45);
  for (const auto& golden : metrics_golden()["several"]) {
    CAPTURE(golden["name"]);
    const std::vector<std::string> hypotheses = golden["hypotheses"];
    const SeveralReferences references(golden["references"]);
    const std::vector<std::string> tokenizers = metrics_golden()["tokenizers"];
    for (std::size_t i = 0; i < tokenizers.size(); ++i) {
      CAPTURE(tokenizers[i]);
      const BleuOptions options{.tokenizer = bleu_tokenizer_of(tokenizers[i]).value()};
      const BleuScore got = corpus_bleu(hypotheses, references.all(), options);
      CHECK(std::abs(got.score - golden["bleu"][i].get<double>()) <= 1e-9);
      CHECK_EQ(got.reference_length, golden["reference_lengths"][i].get<std::uint64_t>());
    }
    CHECK_EQ(bleu_signature({}, references.all().size()),
             golden["signatures"][0].get<std::string>() + "|version:glossa-" + std::string(program_version));
  }
}

TEST_CASE("sentence bleu agrees with sacreBLEU's sentence_bleu") {
  REQUIRE(metrics_golden()["sentences"].size() >= 60);
  for (const auto& golden : metrics_golden()["sentences"]) {
    CAPTURE(golden["name"]);
    const std::vector<std::string> texts = golden["texts"];
    const SentenceBleu score(texts);
    for (std::size_t i = 0; i < texts.size(); ++i)
      for (std::size_t j = 0; j < texts.size(); ++j)
        CHECK(std::abs(score(i, j) - golden["bleu"][i][j].get<double>()) <= 1e-9);
  }
}

TEST_CASE("bleu by hand with two references: clipped by the larger count, and the closest length") {
  const std::vector<std::string> hypothesis{"the the cat"}, first{"the cat sat"}, second{"the the the dog"};
  const std::span<const std::string> both[] = {first, second};
  const BleuScore got = corpus_bleu(hypothesis, both, {.smoothing = BleuSmoothing::none});
  CHECK_EQ(got.precisions[0], doctest::Approx(100));
  CHECK_EQ(got.precisions[1], doctest::Approx(100));
  CHECK_EQ(got.reference_length, 3);
}

TEST_CASE("bleu by hand: 5 of 6 words, 3 of 5 pairs, 2 of 4 triples, 1 of 3 quadruples") {
  const std::vector<std::string> hypothesis{"a b c d x e"}, reference{"a b c d y e"};
  const BleuScore got = corpus_bleu(hypothesis, reference);
  CHECK(got.score == doctest::Approx(100 * std::pow(5.0 / 6 * 3 / 5 * 2 / 4 * 1 / 3, 0.25)));
  CHECK(got.brevity_penalty == 1);
}

TEST_CASE("bleu of nothing is 0, and unequal counts of lines are an Error") {
  const std::vector<std::string> none, one{"a"};
  CHECK(corpus_bleu(none, none).score == 0);
  CHECK_THROWS_AS(corpus_bleu(one, none), Error);
  CHECK_THROWS_AS(corpus_bleu(one, References()), Error);
  const std::span<const std::string> unequal[] = {one, none};
  CHECK_THROWS_AS(corpus_bleu(one, unequal), Error);
  CHECK(bleu_signature() ==
        "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:glossa-" + std::string(program_version));
}
