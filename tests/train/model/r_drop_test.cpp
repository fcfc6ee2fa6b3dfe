#include <doctest/doctest.h>

#include "data/encoded_corpus.h"
#include "layers/cases/small_transformer.h"
#include "tests/train/trainer_fixture.h"
#include "train/model/criterion.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// Two sentences, with dropout, in a model of doubles.
struct Passes {
  Passes() {
    corpus.source = {{4, 5, 3}, {6, 3}};
    corpus.target = {{5, 4}, {7, 6, 5}};
    corpus.specials = {.unk = 0, .pad = 1, .bos = 2, .eos = 3};
    TransformerOptions options = small_transformer(8, 0.1, {.width = 8, .heads = 2, .feed_forward = 8});
    options.encoder_layers = options.decoder_layers = 1;
    model = std::make_unique<Transformer<double>>(parameters, options);
    parameters.allocate(1);
    train.label_smoothing = 0.1;
    train.r_drop = 3;
  }

  /// Begins a step, always with the same dropout masks.
  Context<double>& begin() {
    context.begin({.training = true, .seed = 1, .update = 5});
    return context;
  }

  Batch batch() const { return make_batch(corpus, std::vector{1, 0}, Layout::packed, train.passes()); }

  EncodedCorpus corpus;
  ParameterStore<double> parameters;
  std::unique_ptr<Transformer<double>> model;
  TrainConfig train;
  Context<double> context;
};

}  // namespace

TEST_CASE("the two passes of R-Drop are the plain pass and one with masks of its own") {
  Passes f;
  const Batch twice = f.batch();
  const auto loss = [&](const Batch& batch) {
    return batch_loss(f.begin(), *f.model, batch, f.corpus.specials.pad, 0.1);
  };
  const double all = loss(twice).nll_sum;
  const auto r_drop = training_loss(f.begin(), *f.model, twice, f.corpus.specials.pad, f.train);
  CHECK_EQ(r_drop.count, 7);
  CHECK(r_drop.nll_sum == doctest::Approx(all / 2).epsilon(1e-12));
  const double divergent = r_drop.sum.value()[0], mean = loss(twice).sum.value()[0] / 2;
  CHECK(divergent > mean + 1e-4);
  f.train.r_drop = 0;
  const Batch once = f.batch();
  const double plain = loss(once).nll_sum, second = all - plain;
  CHECK(std::abs(second - plain) > 1e-3);
  CHECK(training_loss(f.begin(), *f.model, once, f.corpus.specials.pad, f.train).nll_sum == plain);
}

TEST_CASE("with R-Drop, a resumed run has the weights of one that never stopped, with any threads") {
  TrainerFixture fixture;
  fixture.config.train.r_drop = 2;
  fixture.config.train.accumulate = 2;
  fixture.check_resumed(6);
  fixture.config.train.r_drop = 0;
  fixture.config.train.max_updates = updates(6);
  fixture.train(fixture.config, "plain");
  CHECK_NE(fixture.weights("whole"), fixture.weights("plain"));
}

TEST_CASE("R-Drop without dropout is refused") {
  Config config;
  config.data.train = "toy:100";
  config.train.max_updates = updates(1);
  config.train.r_drop = 5;
  validate(config);
  config.model.transformer.stack.residual_dropout = 0;
  CHECK_THROWS_WITH_AS(validate(config), doctest::Contains("[train.r_drop] expected 0 without dropout"), Error);
  config.model.attention_dropout = 0.1;
  validate(config);
}
