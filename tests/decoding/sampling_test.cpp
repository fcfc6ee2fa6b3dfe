#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "base/parallel.h"
#include "decoding/decoding.h"
#include "decoding/sample_tokens.h"
#include "tests/decoding/search_fixture.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// A small model whose next token is far from certain.
struct UncertainModel {
  UncertainModel()
      : transformer(store, {.source_vocabulary = 12,
                            .target_vocabulary = 12,
                            .stack = {.width = 16, .heads = 2, .feed_forward = 32},
                            .encoder_layers = 1,
                            .decoder_layers = 1,
                            .max_positions = 64}) {
    store.allocate(7);
  }

  std::vector<Hypothesis> sample(const Sentences& sources, DecodeOptions options,
                                 std::span<const std::int64_t> numbers = {}) const {
    options.sample = true;
    return Searcher<double>().decode(transformer, sources, specials, options, numbers);
  }

  ParameterStore<double> store;
  Transformer<double> transformer;
};

/// Draws a token of one row, by `uniform`.
TokenScore draw(std::vector<double>& logits, std::span<const int> never, double uniform,
                const DecodeOptions& options = {}) {
  SamplingMemory memory;
  TokenScore drawn{};
  sample_tokens<double>({logits.data(), {1, std::ssize(logits)}}, never, options, {&uniform, 1}, {&drawn, 1}, memory);
  return drawn;
}

/// The tokens of a row that top_k and top_p leave, with their probabilities, by sorting all.
std::map<int, double> truncated(const std::vector<double>& logits, std::span<const int> never,
                                const DecodeOptions& options) {
  std::vector<int> tokens;
  for (int j = 0; j < std::ssize(logits); ++j)
    if (std::ranges::find(never, j) == never.end()) tokens.push_back(j);
  const auto logit = [&](int j) { return logits[static_cast<std::size_t>(j)]; };
  std::ranges::stable_sort(tokens, [&](int a, int b) { return logit(a) > logit(b); });
  if (options.top_k > 0) tokens.resize(std::min(tokens.size(), static_cast<std::size_t>(options.top_k)));
  const auto sum_of_first = [&](std::size_t n) {
    double sum = 0;
    for (const int j : std::span(tokens).first(n)) sum += std::exp((logit(j) - logit(tokens[0])) / options.temperature);
    return sum;
  };
  std::size_t n = 1;
  while (n < tokens.size() && sum_of_first(n) < options.top_p * sum_of_first(tokens.size())) ++n;
  std::map<int, double> kept;
  for (std::size_t k = 0; k < n; ++k) kept[tokens[k]] = (sum_of_first(k + 1) - sum_of_first(k)) / sum_of_first(n);
  return kept;
}

bool same_tokens(const std::vector<Hypothesis>& a, const std::vector<Hypothesis>& b) {
  return std::ranges::equal(a, b, {}, &Hypothesis::tokens, &Hypothesis::tokens);
}

Sentences sources_of(int count) {
  Sentences sources;
  for (int i = 0; i < count; ++i) sources.push_back({4 + i % 8, 4 + 3 * i % 8, 4 + i / 8 % 8, specials.eos});
  return sources;
}

}  // namespace

TEST_CASE("tokens are drawn with the softmax's probabilities at the temperature, forbidden ones never") {
  std::vector<double> logits{0, 1, -1, 2, 5, 0.5};
  const int never[] = {4};
  constexpr int draws = 20000;
  for (const double temperature : {0.5, 1.0, 2.0}) {
    std::vector<double> expected, seen(logits.size());
    double sum = 0;
    for (std::size_t j = 0; j < logits.size(); ++j)
      expected.push_back(j == 4 ? 0 : std::exp(logits[j] / temperature)), sum += expected.back();
    for (int i = 0; i < draws; ++i) {
      const double uniform = sampling_uniform(1, static_cast<std::uint64_t>(i), 0);
      const TokenScore drawn = draw(logits, never, uniform, {.temperature = temperature});
      seen[static_cast<std::size_t>(drawn.token)] += 1.0 / draws;
    }
    CHECK(seen[4] == 0);
    for (std::size_t j = 0; j < logits.size(); ++j) {
      const double p = expected[j] / sum;
      CHECK(std::abs(seen[j] - p) <= 4 * std::sqrt(p * (1 - p) / draws));
    }
  }
}

TEST_CASE("the edges of the unit interval draw the first and the last token; log-probabilities are the model's") {
  std::vector<double> logits{-800, 0, std::log(3.0), -800};
  for (const auto& [uniform, token, probability] :
       {std::tuple(0.0, 1, 0.25), std::tuple(0.2499, 1, 0.25), std::tuple(0.2501, 2, 0.75),
        std::tuple(std::nextafter(1.0, 0.0), 2, 0.75)}) {
    const TokenScore drawn = draw(logits, {}, uniform);
    CHECK(drawn.token == token);
    CHECK(drawn.log_probability == doctest::Approx(std::log(probability)).epsilon(1e-12));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double broken : {std::numeric_limits<double>::quiet_NaN(), infinity})
    for (const DecodeOptions& options : {DecodeOptions(), {.top_k = 2}, {.top_p = 0.5}}) {
      logits[0] = broken;
      CHECK_THROWS_WITH_AS(draw(logits, {}, 0.5, options), doctest::Contains("training diverged"), Error);
    }
  logits = {0, -infinity, -infinity};  // nothing to draw from but token 0
  const int never[] = {0};
  CHECK_THROWS_WITH_AS(draw(logits, never, 0.5), doctest::Contains("training diverged"), Error);
}

TEST_CASE("top_k and top_p leave the tokens that sorting all of them leaves, with their probabilities") {
  RandomStream random(5, "logits");
  for (int round = 0; round < 3000; ++round) {
    std::vector<double> logits(2 + random.below(30));
    const bool has_ties = random.below(2) == 0;
    for (double& logit : logits) logit = has_ties ? static_cast<double>(random.below(4)) : 6 * random.uniform() - 3;
    std::vector<int> never;
    for (int j = 0; j + 1 < std::ssize(logits); ++j)
      if (random.below(6) == 0) never.push_back(j);
    DecodeOptions options;
    options.temperature = std::array{0.3, 1.0, 2.5}[random.below(3)];
    options.top_k = std::array{0, 1, 2, 5, 31, 999999}[random.below(6)];
    options.top_p = std::array{1e-300, 0.1, 0.5, 0.9, 1 - 1e-12, 1.0}[random.below(6)];
    if (has_ties && random.below(3) == 0) options.temperature = 1e300;  // all tokens are equally probable
    const std::map<int, double> kept = truncated(logits, never, options);
    REQUIRE_GE(kept.size(), 1);
    CAPTURE(round);
    double below = 0;  // probability of the smaller ids
    for (const auto& [token, probability] : kept) {
      for (const double within : {0.001, 0.5, 0.999})
        if (probability >= 1e-6) CHECK_EQ(draw(logits, never, below + within * probability, options).token, token);
      below += probability;
    }
    CHECK_EQ(below, doctest::Approx(1).epsilon(1e-5));
  }
}

TEST_CASE("the nucleus is the fewest most probable tokens that reach top_p after temperature and top_k") {
  std::vector<double> logits{std::log(0.1), std::log(0.4), std::log(0.2), std::log(0.3)};
  const auto tokens = [&](const DecodeOptions& options) {
    std::set<int> drawn;
    for (int i = 0; i < 1000; ++i) drawn.insert(draw(logits, {}, i / 1000.0, options).token);
    return drawn;
  };
  using Set = std::set<int>;
  CHECK_EQ(tokens({.top_p = 0.39}), Set{1});
  CHECK_EQ(tokens({.top_p = 0.41}), Set{1, 3});
  CHECK_EQ(tokens({.top_p = 0.69}), Set{1, 3});
  CHECK_EQ(tokens({.top_p = 0.71}), Set{1, 2, 3});
  CHECK_EQ(tokens({.top_k = 2}), Set{1, 3});
  // Among the two best, the first has 4/7 of the probability.
  CHECK_EQ(tokens({.top_k = 2, .top_p = 0.57}), Set{1});
  CHECK_EQ(tokens({.top_k = 2, .top_p = 0.58}), Set{1, 3});
  // At temperature 1/2, probabilities are squared: 16, 9, 4 and 1 of 30.
  CHECK_EQ(tokens({.temperature = 0.5, .top_p = 0.53}), Set{1});
  CHECK_EQ(tokens({.temperature = 0.5, .top_p = 0.54}), Set{1, 3});
  // The log-probability stays the model's.
  CHECK_EQ(draw(logits, {}, 0.5, {.temperature = 0.5, .top_k = 1}).log_probability, doctest::Approx(std::log(0.4)));
}

TEST_CASE("every sentence draws a different number at every position, whatever the sentence's number") {
  std::set<double> drawn;
  const std::uint64_t sentences[] = {0, 1, std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1};
  for (const std::uint64_t sentence : sentences)
    for (const std::uint32_t position : {0, 1, 2})
      for (const std::uint64_t seed : {1, 2}) {
        for (const std::uint32_t sample : {0, 1, 5}) drawn.insert(sampling_uniform(seed, sentence, position, sample));
        CHECK(sampling_uniform(seed, sentence, position) == sampling_uniform(seed, sentence, position, 0));
      }
  CHECK(drawn.size() == 4 * 3 * 2 * 3);
  CHECK(*drawn.begin() >= 0);
  CHECK(*drawn.rbegin() < 1);
  // Samples also vary if all tokens are equally likely everywhere.
  const UncertainModel model;
  std::ranges::fill(model.store.at("generator.weight").value.span(), 0.0);
  CHECK(std::ranges::any_of(model.sample(sources_of(5), {}), [](const Hypothesis& h) {
    return std::ranges::adjacent_find(h.tokens, std::not_equal_to<>()) != h.tokens.end();
  }));
}

TEST_CASE("samples are a function of seed, number and position, not of batches, threads or neighbors") {
  const UncertainModel model;
  const Sentences sources = sources_of(30);
  const std::vector<Hypothesis> first = model.sample(sources, {});
  CHECK(same_tokens(model.sample(sources, {.max_tokens = 40}), first));
  const int before = threads();
  set_threads(3);
  CHECK(same_tokens(model.sample(sources, {}), first));
  set_threads(before);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::int64_t number = static_cast<std::int64_t>(i);
    CHECK(model.sample({sources[i]}, {}, {&number, 1}).front().tokens == first[i].tokens);
  }
  CHECK_FALSE(same_tokens(model.sample(sources, {.seed = 2}), first));
  for (const DecodeOptions& options : {DecodeOptions{.top_k = 3}, DecodeOptions{.top_p = 0.6}}) {
    const std::vector<Hypothesis> truncated = model.sample(sources, options);
    CHECK_FALSE(same_tokens(truncated, first));
    DecodeOptions others = options;
    others.max_tokens = 40;
    set_threads(3);
    CHECK(same_tokens(model.sample(sources, others), truncated));
    set_threads(before);
  }
  const Sentences repeated(30, sources[0]);
  const std::vector<Hypothesis> each = model.sample(repeated, {});
  CHECK(std::ranges::any_of(each, [&](const Hypothesis& h) { return h.tokens != each[0].tokens; }));
}

TEST_CASE("several samples are a function of seed, number, index and position, and the first is that of decode") {
  const UncertainModel model;
  const Sentences sources = sources_of(10);
  const auto samples = [&](const DecodeOptions& options, Index count) {
    return Searcher<double>().sample(model.transformer, sources, specials, options, count);
  };
  const std::vector<std::vector<Hypothesis>> all = samples({}, 7);
  REQUIRE(all.size() == 10);
  std::vector<Hypothesis> first;
  int different = 0;
  for (const std::vector<Hypothesis>& each : all) {
    REQUIRE(each.size() == 7);
    first.push_back(each[0]);
    different += std::ranges::any_of(each, [&](const Hypothesis& h) { return h.tokens != each[0].tokens; });
  }
  CHECK(same_tokens(first, model.sample(sources, {})));
  CHECK(different == 10);
  const int before = threads();
  for (const int count : {1, 3})
    for (const Index max_tokens : {1, 10, 50, 100000}) {  // also fewer than the samples of a source need
      set_threads(count);
      const auto others = samples({.max_tokens = max_tokens}, 7);
      for (std::size_t i = 0; i < all.size(); ++i) CHECK(same_tokens(others[i], all[i]));
    }
  set_threads(before);
  const auto three = samples({.beam = 4}, 3);  // the beam does not matter
  for (std::size_t i = 0; i < all.size(); ++i)
    CHECK(same_tokens(three[i], std::vector<Hypothesis>(all[i].begin(), all[i].begin() + 3)));
  CHECK_THROWS_AS(samples({}, 0), Error);
}

TEST_CASE("a sample has a log-probability, ends at </s> or at the limit, and near temperature 0 is greedy search's") {
  const UncertainModel model;
  const Sentences sources = sources_of(20);
  const DecodeOptions options{.max_length_factor = 0, .max_length_extra = 5};
  int ended = 0;
  for (const Hypothesis& h : model.sample(sources, options)) {
    CHECK(h.tokens.size() + h.finished <= 5);
    CHECK((h.finished || h.tokens.size() == 5));
    for (const int token : h.tokens) CHECK((token == specials.unk || !specials.contains(token)));
    CHECK(h.log_probability < 0);
    ended += h.finished;
  }
  CHECK(ended > 0);
  CHECK(ended < 20);

  DecodeOptions cold = options;
  cold.temperature = 1e-6;
  const std::vector<Hypothesis> greedy = Searcher<double>().decode(model.transformer, sources, specials, options);
  const std::vector<Hypothesis> sampled = model.sample(sources, cold);
  CHECK(same_tokens(sampled, greedy));
  for (std::size_t i = 0; i < greedy.size(); ++i)
    CHECK(sampled[i].log_probability == doctest::Approx(greedy[i].log_probability).epsilon(1e-12));
}

TEST_CASE("sampling refuses a beam, a temperature of 0 and a wrong number of numbers") {
  const UncertainModel model;
  const Sentences sources = sources_of(2);
  const std::int64_t number = 1;
  CHECK_THROWS_WITH_AS(model.sample(sources, {.beam = 2}), "[decode.beam] expected 1 with decode.sample: true; got 2",
                       Error);
  CHECK_THROWS_WITH_AS(model.sample(sources, {.temperature = 0}), doctest::Contains("decode.temperature"), Error);
  CHECK_THROWS_AS(model.sample(sources, {}, {&number, 1}), Error);

  std::vector<double> logits(2 * 4), uniforms(2);
  const Tensor<const double> rows{logits.data(), {2, 4}};
  std::vector<TokenScore> drawn(2);
  SamplingMemory memory;
  const auto sample = [&](std::span<const int> never, const DecodeOptions& options, std::size_t numbers,
                          std::size_t room) {
    sample_tokens(rows, never, options, std::span<const double>(uniforms).first(numbers), std::span(drawn).first(room),
                  memory);
  };
  CHECK_NOTHROW(sample({}, {}, 2, 2));
  CHECK_THROWS_AS(sample({}, {}, 1, 2), Error);
  CHECK_THROWS_AS(sample({}, {}, 2, 1), Error);
  CHECK_THROWS_AS(sample(std::vector<int>{0, 1, 2, 3}, {}, 2, 2), Error);
  CHECK_THROWS_WITH_AS(sample({}, {.top_k = -1}, 2, 2), doctest::Contains("decode.top_k"), Error);
  for (const double top_p : {0.0, 1.01, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_WITH_AS(sample({}, {.top_p = top_p}, 2, 2), doctest::Contains("decode.top_p"), Error);
}
