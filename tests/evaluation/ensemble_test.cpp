#include "decoding/ensemble.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "base/check.h"
#include "decoding/scoring.h"
#include "evaluation/run_ensemble.h"
#include "tests/decoding/translator_fixture.h"
#include "tests/support/restore_runtime.h"
#include "tests/train/trainer_fixture.h"
#include "train/corpus_loss.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// Models of one vocabulary with different weights and widths.
struct Committee {
  Committee() {
    for (const std::uint64_t seed : {11U, 12U, 13U}) {
      ModelConfig config;
      config.transformer.stack.width = config.transformer.stack.feed_forward = 8 + 8 * (seed % 2);
      config.transformer.stack.heads = 2;
      config.transformer.encoder_layers = config.transformer.decoder_layers = 1;
      config.transformer.tied = Tied::none;
      config.transformer.max_positions = 30 + static_cast<std::int64_t>(seed);
      models.push_back(make_model(config, source.tokenizers.source->vocabulary_size(),
                                  source.tokenizers.target->vocabulary_size(), seed));
      for (float& value : models.back()->parameters.values()) value *= 2;
    }
  }

  Ensemble<float> of(const std::vector<std::size_t>& members) const {
    Ensemble<float> all(*models[members.front()]->transformer);
    for (std::size_t i = 1; i < members.size(); ++i) all.add(*models[members[i]]->transformer);
    return all;
  }

  Translator translator(const std::vector<std::size_t>& members, const DecodeOptions& decode) const {
    return {of(members), source.tokenizers, source.data, decode};
  }

  TranslatorFixture source;
  std::vector<std::unique_ptr<Model>> models;
};

DecodeOptions beam(std::int64_t size) {
  DecodeOptions decode;
  decode.beam = size;
  return decode;
}

}  // namespace

TEST_CASE("an ensemble of a model with itself finds that model's translations, with their scores") {
  const Committee committee;
  const std::vector<std::string>& lines = committee.source.corpus.source;
  for (const std::int64_t size : {1, 4})
    for (const std::vector<std::size_t>& members : {std::vector<std::size_t>{0, 0}, {0, 0, 0}}) {
      Translator alone = committee.translator({0}, beam(size)), several = committee.translator(members, beam(size));
      const auto expected = alone.n_best(alone.encode(lines, "text"), size),
                 found = several.n_best(several.encode(lines, "text"), size);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        REQUIRE_EQ(found[i].size(), expected[i].size());
        for (std::size_t k = 0; k < found[i].size(); ++k) {
          CHECK_EQ(found[i][k].text, expected[i][k].text);
          CHECK_EQ(found[i][k].score, doctest::Approx(expected[i][k].score).epsilon(1e-5));
        }
      }
    }
}

TEST_CASE("a token's probability is the mean of the models' probabilities, in searches and in scores") {
  const Committee committee;
  Translator translator = committee.translator({0, 1, 2}, beam(4));
  const auto sources = translator.encode(committee.source.corpus.source, "text");
  EncodedCorpus pairs;
  std::vector<std::vector<double>> of_search;
  const auto found = translator.n_best(sources, 4);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const Translation& translation : found[i]) {
      if (!translation.finished) continue;
      pairs.source.push_back(sources.ids[i]);
      pairs.target.push_back(translation.tokens);
      of_search.push_back(translation.token_log_probabilities);
    }
  REQUIRE_GT(of_search.size(), 10);
  Context<float> context;
  const auto scores = [&](const std::vector<std::size_t>& members) {
    return score_translations(context, committee.of(members), pairs, beam(4), 4096);
  };
  const auto all = scores({0, 1, 2}), first = scores({0}), second = scores({1}), third = scores({2});
  bool differ = false;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < all[i].tokens.size(); ++k) {
      const auto p = [&](const auto& of) { return std::exp(of[i].tokens[k].log_probability); };
      CHECK_EQ(p(all), doctest::Approx((p(first) + p(second) + p(third)) / 3).epsilon(1e-5));
      CHECK_EQ(of_search[i][k], doctest::Approx(all[i].tokens[k].log_probability).epsilon(1e-4));
      differ = differ || std::abs(p(first) - p(second)) > 0.01;
    }
  CHECK(differ);
}

TEST_CASE("scorers that divide the batches score each pair once, with the bits of one scorer") {
  const Committee committee;
  const EncodedCorpus pairs = encode(committee.source.data, committee.source.corpus, committee.source.tokenizers);
  const Ensemble<float> models = committee.of({0, 1});
  Context<float> context;
  const std::vector<ScoredTranslation> whole = score_translations(context, models, pairs, {}, 20);
  std::vector<int> times(whole.size());
  for (int index = 0; index < 3; ++index) {
    const auto part = score_translations(context, models, pairs, {}, 20, {.index = index, .count = 3});
    REQUIRE_EQ(part.size(), whole.size());
    int scored = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i].tokens.empty()) continue;
      ++times[i];
      ++scored;
      CHECK_EQ(part[i].log_probability, whole[i].log_probability);
    }
    CHECK_GT(scored, 0);
  }
  CHECK_EQ(times, std::vector<int>(whole.size(), 1));
  double loss = 0;
  for (const ScoredTranslation& scored : whole) loss -= scored.log_probability;
  DataConfig data = committee.source.data;
  data.batches.max_tokens = 20;
  const CorpusLoss found = corpus_loss(context, models, pairs, data);
  CHECK_EQ(found.nll_sum, loss);
  CHECK_EQ(found.tokens, std::accumulate(pairs.target.begin(), pairs.target.end(), std::int64_t{0},
                                         [](auto sum, const auto& ids) { return sum + std::ssize(ids) + 1; }));
}

TEST_CASE("an ensemble's translations do not depend on the order of the models, the batch or the threads") {
  const Committee committee;
  const std::vector<std::string>& lines = committee.source.corpus.source;
  for (const bool sample : {false, true}) {
    DecodeOptions decode = beam(sample ? 1 : 3), small = decode;
    decode.sample = small.sample = sample;
    small.max_tokens = 1;
    Translator translator = committee.translator({0, 1}, decode), exchanged = committee.translator({1, 0}, decode),
               one_by_one = committee.translator({0, 1}, small);
    const std::vector<std::string> expected = translator.translate(lines, "text");
    CHECK_EQ(exchanged.translate(lines, "text"), expected);
    CHECK_EQ(one_by_one.translate(lines, "text"), expected);
    const OneThread one;
    CHECK_EQ(translator.translate(lines, "text"), expected);
  }
}

TEST_CASE("an ensemble has the positions that all models have, and models of one vocabulary") {
  const Committee committee;
  CHECK_EQ(committee.of({2, 0, 1}).max_positions(), 41);
  ModelConfig config;
  config.transformer.stack.width = config.transformer.stack.feed_forward = 8;
  config.transformer.stack.heads = 2;
  config.transformer.tied = Tied::none;
  const auto other = make_model(config, committee.source.tokenizers.source->vocabulary_size(), 50, 1);
  Ensemble<float> all = committee.of({0});
  CHECK_THROWS_WITH_AS(all.add(*other->transformer), doctest::Contains("expected models of one vocabulary"), Error);
}

TEST_CASE("an ensemble of a run with itself translates as that run, in every precision") {
  TrainerFixture fixture;
  fixture.config.train.max_updates = updates(3);
  fixture.train(fixture.config, "run");
  const std::string run = fixture / "run";
  const std::vector<std::string> lines{"w3 w7 end", "w1 end", "w4 w11 w5 end"};
  for (const char* const precision : {"float", "bf16", "int8"}) {
    CAPTURE(precision);
    const auto n_best = [&](const std::vector<std::string>& named) {
      const Quiet quiet;  // of slow bf16
      const Settings settings{"decode.beam=3", fmt::format("decode.precision={}", precision)};
      const LoadedRun loaded = load_ensemble(run_names(named, "last"), load_run_config(run, settings));
      Translator translator(loaded.models(), loaded.tokenizers, loaded.config.data, loaded.config.decode);
      return translator.n_best(translator.encode(lines, "text"), 3);
    };
    const auto alone = n_best({run}), both = n_best({run, run});
    for (std::size_t i = 0; i < lines.size(); ++i) {
      REQUIRE_EQ(alone[i].size(), 3);
      REQUIRE_EQ(both[i].size(), 3);
      for (std::size_t k = 0; k < 3; ++k) {
        CHECK_EQ(both[i][k].text, alone[i][k].text);
        CHECK_EQ(both[i][k].score, doctest::Approx(alone[i][k].score).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("runs of one vocabulary and one treatment of text load as an ensemble") {
  TrainerFixture fixture;
  fixture.config.train.max_updates = updates(3);
  fixture.train(fixture.config, "a");
  fixture.config.train.seed = 2;
  fixture.config.model.transformer.stack.width = 12;
  fixture.train(fixture.config, "b");
  const std::vector<std::string> named{fixture / "a", fixture / "b"};
  const std::vector<RunName> names = run_names(named, "last");
  const Config config = load_run_config(names.front().folder(), {"decode.beam=2"});
  const LoadedRun all = load_ensemble(names, config);
  CHECK_EQ(all.models().models().size(), 2);
  CHECK_EQ(all.config.decode.beam, 2);

  Config other = fixture.config;
  other.data.encoding.source_bos = true;
  fixture.train(other, "c");
  const std::vector<std::string> differing{fixture / "a", fixture / "c"};
  CHECK_THROWS_WITH_AS(load_ensemble(run_names(differing, ""), config), doctest::Contains("[data.source_bos] expected"),
                       Error);
  other = fixture.config;
  other.data.vocab_size = 12;
  fixture.train(other, "d");
  const std::vector<std::string> foreign{fixture / "a", fixture / "d"};
  CHECK_THROWS_WITH_AS(load_ensemble(run_names(foreign, ""), config), doctest::Contains("expected the vocabulary of"),
                       Error);
}
