#include "decoding/scores/chrf.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/check.h"
#include "base/version.h"
#include "tests/decoding/scores/metrics_golden.h"

using namespace glossa;
using glossa::testing::metrics_golden;
using glossa::testing::SeveralReferences;

TEST_CASE("chrf agrees with sacreBLEU") {
  for (const auto& golden : metrics_golden()["cases"]) {
    CAPTURE(golden["name"]);
    const std::vector<std::string> hypotheses = golden["hypotheses"], references = golden["references"];
    for (const auto& wanted : golden["chrf"]) {
      const bool lowercase = wanted["lowercase"];
      CHECK(std::abs(corpus_chrf(hypotheses, references, lowercase) - wanted["score"].get<double>()) <= 1e-9);
      CHECK(chrf_signature(lowercase) ==
            wanted["signature"].get<std::string>() + "|version:glossa-" + std::string(program_version));
    }
  }
}

TEST_CASE("chrf agrees with sacreBLEU on drawn corpora of many scripts") {
  for (const auto& golden : metrics_golden()["drawn"]) {
    CAPTURE(golden["name"]);
    const std::vector<std::string> hypotheses = golden["hypotheses"], references = golden["references"];
    CHECK(std::abs(corpus_chrf(hypotheses, references) - golden["chrf"].get<double>()) <= 1e-9);
  }
}

TEST_CASE("chrf agrees with sacreBLEU on drawn corpora with several references") {
  REQUIRE(metrics_golden()["several"].size() >= 45);
  for (const auto& golden : metrics_golden()["several"]) {
    CAPTURE(golden["name"]);
    const std::vector<std::string> hypotheses = golden["hypotheses"];
    const SeveralReferences references(golden["references"]);
    CHECK(std::abs(corpus_chrf(hypotheses, references.all()) - golden["chrf"].get<double>()) <= 1e-9);
    CHECK_EQ(chrf_signature(false, references.all().size()),
             golden["signatures"][1].get<std::string>() + "|version:glossa-" + std::string(program_version));
  }
}

TEST_CASE("sentence chrf agrees with sacreBLEU's sentence_chrf") {
  REQUIRE(metrics_golden()["sentences"].size() >= 60);
  for (const auto& golden : metrics_golden()["sentences"]) {
    CAPTURE(golden["name"]);
    const std::vector<std::string> texts = golden["texts"];
    const SentenceChrf score(texts);
    for (std::size_t i = 0; i < texts.size(); ++i)
      for (std::size_t j = 0; j < texts.size(); ++j)
        CHECK(std::abs(score(i, j) - golden["chrf"][i][j].get<double>()) <= 1e-9);
  }
}

TEST_CASE("chrf counts code points, not bytes, and no spaces") {
  // One of two letters is right: precision and recall are 1/2 for single letters and 0 for pairs.
  const std::vector<std::string> hypothesis{"ä ö"}, reference{"ä\u00a0ü"};
  CHECK(corpus_chrf(hypothesis, reference) == doctest::Approx(25));
}

TEST_CASE("chrf of nothing is 0, and unequal counts of lines are an Error") {
  const std::vector<std::string> none, one{"a"};
  CHECK(corpus_chrf(none, none) == 0);
  CHECK_THROWS_AS(corpus_chrf(one, none), Error);
}
