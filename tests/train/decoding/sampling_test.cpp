#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "autograd/parallel.h"
#include "tests/train/decoding/search_fixture.h"
#include "train/decoding/decoding.h"
#include "train/decoding/sample_tokens.h"

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
      TokenScore drawn{};
      sample_tokens<double>({logits.data(), {1, 6}}, never, temperature, {&uniform, 1}, {&drawn, 1});
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
    TokenScore drawn{};
    sample_tokens<double>({logits.data(), {1, 4}}, {}, 1, {&uniform, 1}, {&drawn, 1});
    CHECK(drawn.token == token);
    CHECK(drawn.log_probability == doctest::Approx(std::log(probability)).epsilon(1e-12));
  }
  const double uniform = 0.5;
  TokenScore drawn{};
  logits[0] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(sample_tokens<double>({logits.data(), {1, 4}}, {}, 1, {&uniform, 1}, {&drawn, 1}),
                       doctest::Contains("training diverged"), Error);
}

TEST_CASE("every sentence draws a different number at every position, whatever the sentence's number") {
  std::set<double> drawn;
  const std::uint64_t sentences[] = {0, 1, std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1};
  for (const std::uint64_t sentence : sentences)
    for (const std::uint32_t position : {0, 1, 2})
      for (const std::uint64_t seed : {1, 2}) drawn.insert(sampling_uniform(seed, sentence, position));
  CHECK(drawn.size() == 4 * 3 * 2);
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
  const Sentences repeated(30, sources[0]);
  const std::vector<Hypothesis> each = model.sample(repeated, {});
  CHECK(std::ranges::any_of(each, [&](const Hypothesis& h) { return h.tokens != each[0].tokens; }));
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
  CHECK_NOTHROW(sample_tokens(rows, {}, 1, std::span<const double>(uniforms), std::span(drawn)));
  CHECK_THROWS_AS(sample_tokens(rows, {}, 1, std::span<const double>(uniforms).first(1), std::span(drawn)), Error);
  CHECK_THROWS_AS(sample_tokens(rows, {}, 1, std::span<const double>(uniforms), std::span(drawn).first(1)), Error);
  CHECK_THROWS_AS(sample_tokens(rows, std::vector<int>{0, 1, 2, 3}, 1, uniforms, drawn), Error);
}
