#include "decoding/scores/ter.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/check.h"
#include "base/version.h"
#include "tests/decoding/scores/metrics_golden.h"

using namespace glossa;
using glossa::testing::metrics_golden;
using glossa::testing::SeveralReferences;

TEST_CASE("ter agrees with sacreBLEU") {
  for (const char* kind : {"cases", "drawn"})
    for (const auto& golden : metrics_golden()[kind]) {
      CAPTURE(golden["name"]);
      const std::vector<std::string> hypotheses = golden["hypotheses"], references = golden["references"];
      CHECK(std::abs(corpus_ter(hypotheses, references) - golden["ter"].get<double>()) <= 1e-9);
    }
  CHECK(ter_signature() ==
        metrics_golden()["ter_signature"].get<std::string>() + "|version:glossa-" + std::string(program_version));
}

TEST_CASE("ter agrees with sacreBLEU on drawn corpora with several references") {
  REQUIRE(metrics_golden()["several"].size() >= 45);
  for (const auto& golden : metrics_golden()["several"]) {
    CAPTURE(golden["name"]);
    const std::vector<std::string> hypotheses = golden["hypotheses"];
    const SeveralReferences references(golden["references"]);
    CHECK(std::abs(corpus_ter(hypotheses, references.all()) - golden["ter"].get<double>()) <= 1e-9);
    CHECK_EQ(ter_signature(references.all().size()),
             golden["signatures"][2].get<std::string>() + "|version:glossa-" + std::string(program_version));
  }
}

TEST_CASE("ter by hand: a shift, a replaced word and a missing one for ten words") {
  const std::vector<std::string> hypothesis{"on the mat the Cat SITS in a small"};
  const std::vector<std::string> reference{"the cat sat on the mat in a small house"};
  CHECK(corpus_ter(hypothesis, reference) == doctest::Approx(30));
}

TEST_CASE("ter of nothing is 0, of anything for nothing 100, and unequal counts of lines are an Error") {
  const std::vector<std::string> one{"a b"}, empty{""}, none;
  CHECK(corpus_ter(none, none) == 0);
  CHECK(corpus_ter(empty, empty) == 0);
  CHECK(corpus_ter(one, empty) == 100);
  CHECK(corpus_ter(empty, one) == 100);
  CHECK_THROWS_AS(corpus_ter(one, none), Error);
}
