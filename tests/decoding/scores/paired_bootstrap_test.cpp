#include "decoding/scores/paired_bootstrap.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "decoding/scores/chrf.h"
#include "decoding/scores/resampler.h"
#include "decoding/scores/ter.h"
#include "tests/decoding/scores/metrics_golden.h"
#include "tests/support/restore_runtime.h"

using namespace glossa;
using glossa::testing::SeveralReferences;

namespace {

using Lines = std::vector<std::string>;

const nlohmann::json& paired_golden() {
  static const auto golden =
      nlohmann::json::parse(std::ifstream(GLOSSA_SOURCE_DIR "/tests/golden/paired_bootstrap.json"));
  return golden;
}

std::vector<double> numbers(const PairedScore& score) {
  std::vector<double> all;
  for (const ResampledScore& side : {score.system, score.other})
    all.insert(all.end(), {side.score, side.mean, side.interval});
  all.push_back(score.p_value);
  return all;
}

std::vector<double> numbers(const PairedBootstrap& result) {
  std::vector<double> all;
  for (const PairedScore& score : {result.bleu, result.chrf, result.ter})
    for (const double number : numbers(score)) all.push_back(number);
  return all;
}

}  // namespace

TEST_CASE("resamples are NumPy's") {
  for (const auto& [lines, expected] : paired_golden()["draws"].items()) {
    const std::string count = lines;  // clang 16 captures no structured bindings
    CAPTURE(count);
    Resampler resampler(static_cast<std::uint32_t>(std::stoul(count)));
    std::vector<std::uint32_t> drawn(expected.size());
    const std::size_t half = drawn.size() / 2 + 1;  // an odd number
    resampler.draw(std::span(drawn).first(half));
    resampler.draw(std::span(drawn).subspan(half));
    CHECK_EQ(drawn, expected.get<std::vector<std::uint32_t>>());
  }
}

TEST_CASE("paired bootstrap agrees with sacreBLEU") {
  const std::int64_t resamples = paired_golden()["resamples"];
  REQUIRE_EQ(resamples, 10000);
  REQUIRE_EQ(paired_golden()["cases"].size(), 50);
  double largest = 0;
  for (const auto& golden : paired_golden()["cases"]) {
    const Lines system = golden["system"], other = golden["other"];
    const SeveralReferences references(golden["references"]);
    const PairedBootstrap found = paired_bootstrap(system, other, references.all(), {}, resamples);
    CHECK_EQ(found.resamples, resamples);
    for (const auto& [key, score] : {std::pair{"bleu", found.bleu}, {"chrf", found.chrf}, {"ter", found.ter}}) {
      const std::string name = key;
      CAPTURE(name);
      const std::vector<double> ours = numbers(score), expected = golden[key];
      REQUIRE_EQ(ours.size(), expected.size());
      for (std::size_t i = 0; i < 6; ++i) CHECK(std::abs(ours[i] - expected[i]) <= 1e-4);  // sacreBLEU sums floats
      largest = std::max(largest, std::abs(ours[6] - expected[6]));
    }
  }
  CHECK(largest <= 0.0002);
}

TEST_CASE("paired bootstrap has the scores of the corpus, and the same bits with any number of threads") {
  const auto& golden = paired_golden()["cases"][3];
  Lines system = golden["system"], other = golden["other"];
  REQUIRE(system.front().starts_with("vs "));
  system.front()[0] = 'V';  // letter case matters
  const SeveralReferences references(golden["references"]);
  REQUIRE(references.all().size() > 1);
  const BleuOptions options{.lowercase = true, .tokenizer = BleuTokenizer::characters};
  const auto found = [&](int count) {
    const glossa::testing::RestoreRuntime restored;
    set_threads(count);
    return paired_bootstrap(system, other, references.all(), options, 100);
  };
  const PairedBootstrap result = found(1);
  CHECK_EQ(result.bleu.system.score, corpus_bleu(system, references.all(), options).score);
  CHECK_EQ(result.chrf.system.score, corpus_chrf(system, references.all(), true));
  CHECK_EQ(result.chrf.other.score, corpus_chrf(other, references.all(), true));
  CHECK_NE(result.chrf.system.score, corpus_chrf(system, references.all(), false));
  CHECK_EQ(result.ter.other.score, corpus_ter(other, references.all()));
  CHECK_EQ(result.ter.difference(), result.ter.system.score - result.ter.other.score);
  for (const int count : {2, 5}) CHECK_EQ(numbers(found(count)), numbers(result));
}

TEST_CASE("paired bootstrap of a system with itself, and of one line") {
  const Lines lines{"a b c d", "e f g h i"}, reference{"a b c e", "e f g h j"};
  const SeveralReferences references({reference});
  const PairedBootstrap same = paired_bootstrap(lines, lines, references.all(), {}, 99);
  CHECK_EQ(same.bleu.difference(), 0);
  CHECK(std::isnan(same.bleu.p_value));
  CHECK_EQ(same.bleu.system.mean, same.bleu.other.mean);
  const SeveralReferences one({{reference.front()}});
  const PairedScore ter = paired_bootstrap(std::span(lines).first(1), std::span(reference).first(1), one.all()).ter;
  CHECK_EQ(ter.system.mean, doctest::Approx(25));
  CHECK(std::isnan(ter.p_value));
  CHECK_EQ(ter.system.interval, 0);
  CHECK_EQ(ter.difference(), 25);
}

TEST_CASE("paired bootstrap refuses unequal numbers of lines, no lines and no resamples") {
  const Lines one{"a"}, two{"a", "b"}, none;
  const SeveralReferences references({one}), empty({none});
  CHECK_THROWS_WITH_AS(paired_bootstrap(one, two, references.all()), doctest::Contains("as many lines"), Error);
  CHECK_THROWS_AS(paired_bootstrap(two, two, references.all()), Error);
  CHECK_THROWS_WITH_AS(paired_bootstrap(none, none, empty.all()), doctest::Contains("at least one line"), Error);
  CHECK_THROWS_WITH_AS(paired_bootstrap(one, one, references.all(), {}, 0), doctest::Contains("positive"), Error);
}
