#include "train/model/memory_need.h"

#include <doctest/doctest.h>

#include "data/encoded_corpus.h"
#include "data/sampler.h"
#include "layers/cases/small_transformer.h"
#include "tests/support/restore_runtime.h"
#include "train/model/criterion.h"

using namespace glossa;
using glossa::testing::RestoreRuntime;

namespace {

/// Sentences of random ids, of lengths from `least` to `most` on either side.
EncodedCorpus corpus_of(int sentences, int min_length, int max_length, int vocabulary) {
  RandomStream random(1, "corpus");
  EncodedCorpus corpus;
  const auto sentence = [&] {
    std::vector<int> ids(static_cast<std::size_t>(min_length) +
                         random.below(static_cast<std::uint64_t>(max_length - min_length + 1)));
    for (int& id : ids) id = 4 + static_cast<int>(random.below(static_cast<std::uint64_t>(vocabulary - 4)));
    return ids;
  };
  for (int i = 0; i < sentences; ++i) {
    corpus.source.push_back(sentence());
    corpus.target.push_back(sentence());
  }
  return corpus;
}

/// A model and a batch of this many sentences, of lengths from `least` to `most`.
struct Case {
  std::string name;
  TransformerOptions options;
  int sentences, min_length, max_length;
  Layout layout = Layout::packed;
  int threads = 1;
  double tolerance = 0.15;
};

TransformerOptions model(Index vocabulary, Index width, Index feed_forward, Index encoder_layers,
                         Index decoder_layers) {
  TransformerOptions options =
      small_transformer(vocabulary, 0.1, {.width = width, .heads = 4, .feed_forward = feed_forward}, 512);
  options.encoder_layers = encoder_layers;
  options.decoder_layers = decoder_layers;
  options.tied = Tied::all;
  return options;
}

template <class Change>
TransformerOptions with(TransformerOptions options, const Change& change) {
  change(options);
  return options;
}

std::vector<Case> cases() {
  const TransformerOptions small = model(500, 64, 256, 2, 2);
  const auto no_dropout = [](TransformerOptions& o) {
    o.embedding_dropout = o.stack.residual_dropout = o.stack.attention_dropout = o.stack.activation_dropout = 0;
  };
  return {
      {"small", small, 40, 5, 20},
      {"pre-norm", with(small, [](auto& o) { o.stack.norm = NormPlace::pre; }), 40, 5, 20},
      {"pre-norm, no dropout",
       with(small,
            [&](auto& o) {
              no_dropout(o);
              o.stack.norm = NormPlace::pre;
            }),
       40, 5, 20},
      {"post-norm, no dropout", with(small, no_dropout), 40, 5, 20},
      {"gelu", with(small, [](auto& o) { o.stack.activation = Activation::gelu; }), 40, 5, 20},
      {"swiglu", with(small, [](auto& o) { o.stack.activation = Activation::swiglu; }), 40, 5, 20},
      {"geglu, no dropout",
       with(small,
            [&](auto& o) {
              no_dropout(o);
              o.stack.activation = Activation::geglu;
            }),
       40, 5, 20},
      {"wide feed-forward, swiglu",
       with(model(500, 32, 1024, 2, 2), [](auto& o) { o.stack.activation = Activation::swiglu; }), 30, 5, 20},
      {"wide feed-forward", model(500, 32, 2048, 2, 2), 30, 5, 20},
      {"one matrix", model(500, 64, 0, 3, 3), 40, 5, 20},
      {"many layers", model(200, 48, 96, 8, 8), 30, 5, 20},
      {"an encoder of many layers", model(500, 64, 256, 8, 1), 40, 5, 20},
      {"a large vocabulary", model(8000, 64, 256, 2, 2), 40, 5, 20},
      {"own output", with(model(4000, 64, 256, 2, 2), [](auto& o) { o.tied = Tied::none; }), 40, 5, 20},
      {"wide heads", with(small, [](auto& o) { o.stack.head_width = 64; }), 40, 5, 20},
      {"many heads", with(small, [](auto& o) { o.stack.heads = 32; }), 40, 5, 20},
      {"one head of keys", with(small, [](auto& o) { o.stack.key_heads = 1; }), 40, 5, 20},
      {"wide grouped heads",
       with(small,
            [](auto& o) {
              o.stack.heads = 8;
              o.stack.key_heads = 2;
              o.stack.head_width = 32;
            }),
       20, 5, 20},
      {"long sentences and one head of keys", with(small, [](auto& o) { o.stack.key_heads = 1; }), 4, 150, 200},
      {"general, grouped",
       with(small,
            [](auto& o) {
              o.stack.similarity = Similarity::general;
              o.stack.key_heads = 1;
            }),
       40, 5, 20},
      {"sentences in tiles and one head of keys",
       with(model(100, 16, 16, 1, 1),
            [](auto& o) {
              o.stack.heads = 8;
              o.stack.key_heads = 1;
              o.stack.head_width = 64;
            }),
       1, 450, 500},
      {"long sentences", small, 4, 150, 200},
      {"sentences in tiles", small, 2, 300, 400},
      {"short sentences", small, 200, 1, 4},
      {"many rows and a large vocabulary", model(8000, 64, 256, 1, 1), 180, 10, 15},
      {"long sentences, 16 threads", small, 4, 150, 200, Layout::packed, 16},
      {"padded", small, 40, 5, 20, Layout::padded},
      {"general", with(small, [](auto& o) { o.stack.similarity = Similarity::general; }), 40, 5, 20},
      {"additive, grouped",
       with(model(100, 16, 16, 2, 2),
            [](auto& o) {
              o.stack.similarity = Similarity::additive;
              o.stack.heads = 8;
              o.stack.key_heads = 1;
              o.stack.head_width = 32;
            }),
       100, 1, 1, Layout::packed, 1, 0.05},
      {"additive", with(small, [](auto& o) { o.stack.similarity = Similarity::additive; }), 30, 5, 20},
      {"a norm of another kind", with(small, [](auto& o) { o.stack.norm_affine = NormAffine::scalar; }), 40, 5, 20},
      {"RMS norm", with(small, [](auto& o) { o.stack.norm_kind = NormKind::rms; }), 40, 5, 20},
      {"RMS norm before, of another kind",
       with(small,
            [](auto& o) {
              o.stack.norm = NormPlace::pre;
              o.stack.norm_kind = NormKind::rms;
              o.stack.norm_affine = NormAffine::gain;
            }),
       40, 5, 20},
      {"RMS norm, epsilon outside",
       with(small,
            [](auto& o) {
              o.stack.norm_kind = NormKind::rms;
              o.stack.epsilon_place = EpsilonPlace::outside;
            }),
       40, 5, 20},
      {"epsilon outside", with(small, [](auto& o) { o.stack.epsilon_place = EpsilonPlace::outside; }), 40, 5, 20},
      {"rotary positions", with(small, [](auto& o) { o.stack.relative_positions = RelativePositions::rotary; }), 40, 5,
       20},
      {"rotary positions of one long sentence",
       with(model(100, 16, 16, 2, 2),
            [](auto& o) {
              o.stack.relative_positions = RelativePositions::rotary;
              o.stack.heads = 1;
              o.stack.head_width = 512;
            }),
       1, 200, 200, Layout::packed, 1, 0.05},
      {"rotary positions and one head of keys",
       with(small,
            [](auto& o) {
              o.stack.relative_positions = RelativePositions::rotary;
              o.stack.key_heads = 1;
            }),
       40, 5, 20},
      {"the parts of today's models",
       with(small,
            [&](auto& o) {
              no_dropout(o);
              o.stack.norm = NormPlace::pre;
              o.stack.norm_kind = NormKind::rms;
              o.stack.activation = Activation::swiglu;
              o.stack.feed_forward = 172;
              o.stack.relative_positions = RelativePositions::rotary;
              o.stack.key_heads = 2;
              o.stack.bias = false;
            }),
       40, 5, 20},
      {"alibi", with(small, [](auto& o) { o.stack.relative_positions = RelativePositions::alibi; }), 40, 5, 20},
      {"learned positions", with(small, [](auto& o) { o.learned_positions = true; }), 40, 5, 20},
  };
}

/// Checks the estimate of a step in this precision against the memory that a step takes.
void check_estimate(const Case& c, Precision precision) {
  CAPTURE(c.name);
  CAPTURE((precision == Precision::bf16));
  set_threads(c.threads);
  ParameterStore<float> store;
  const Transformer<float> transformer(store, c.options);
  store.allocate(1);
  const EncodedCorpus corpus =
      corpus_of(c.sentences, c.min_length, c.max_length, static_cast<int>(c.options.target_vocabulary));
  std::vector<int> all;
  for (int i = 0; i < c.sentences; ++i) all.push_back(i);
  const Batch batch = make_batch(corpus, all, c.layout);
  Context<float> context;
  context.begin({.training = true, .precision = precision});
  context.backward(batch_loss(context, transformer, batch, corpus.specials.pad, 0.1).sum);

  const MemoryNeed need = memory_need(c.options, extent_of(batch), 0, 0, 0, precision);
  const auto taken = static_cast<double>(context.peak_bytes());
  CAPTURE(need.step / taken);
  CHECK_EQ(need.step, doctest::Approx(taken).epsilon(c.tolerance));
  CHECK_EQ(need.parameters, static_cast<double>(store.count()) * sizeof(float));
}

}  // namespace

TEST_CASE("the memory of a step is estimated within 15 % of what it takes, in float and in bf16") {
  const RestoreRuntime restore;
  for (const Case& c : cases())
    for (const Precision precision : {Precision::full, Precision::bf16}) check_estimate(c, precision);
}
