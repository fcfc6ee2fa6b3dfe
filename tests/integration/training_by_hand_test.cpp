// Training follows the configuration. Compares `glossa train`, with many non-default options, with training by hand
// whose numbers are written out again. The weights must be equal bit for bit.
#include <doctest/doctest.h>

#include <cmath>
#include <optional>

#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/vocabulary_tokenizer.h"
#include "optim/adam.h"
#include "optim/sgd.h"
#include "tests/integration/by_hand.h"

using namespace glossa;
using namespace glossa::testing;

TEST_CASE("by hand: Adam with L2 decay, inverse square root, clipping, accumulation and four kinds of dropout") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"data.batch_rule=tokens",
                               "data.max_tokens=300",
                               "data.max_length=9",
                               "data.vocab_size=60",
                               "data.min_frequency=3",
                               "model.width=12",
                               "model.heads=3",
                               "model.feed_forward=20",
                               "model.encoder_layers=2",
                               "model.decoder_layers=1",
                               "model.dropout=0.3",
                               "model.attention_dropout=0.1",
                               "model.activation_dropout=0.2",
                               "model.embedding_dropout=0.05",
                               "model.norm_epsilon=1e-3",
                               "optim.lr=3e-3",
                               "optim.beta1=0.7",
                               "optim.beta2=0.95",
                               "optim.epsilon=1e-6",
                               "optim.weight_decay=0.03",
                               "optim.clip_norm=0.4",
                               "optim.warmup=4",
                               "optim.warmup_init_lr=1e-4",
                               "optim.min_lr=2.5e-3",
                               "train.seed=7",
                               "train.label_smoothing=0.15",
                               "train.accumulate=5",
                               "train.max_updates=9"}));
  Texts texts{toy(tiny, "train"), {}, {}};
  const VocabularyOptions vocabulary{.min_frequency = 3, .max_size = 60};
  texts.source = train_word_tokenizer(texts.corpus.source, vocabulary);
  texts.target = train_word_tokenizer(texts.corpus.target, vocabulary);
  Network network({.source_vocabulary = texts.source->vocabulary_size(),
                   .target_vocabulary = texts.target->vocabulary_size(),
                   .stack = {.width = 12,
                             .heads = 3,
                             .feed_forward = 20,
                             .norm = NormPlace::pre,
                             .final_norm = true,
                             .norm_epsilon = 1e-3,
                             .residual_dropout = 0.3,
                             .attention_dropout = 0.1,
                             .activation_dropout = 0.2},
                   .encoder_layers = 2,
                   .decoder_layers = 1,
                   .embedding_dropout = 0.05,
                   .max_positions = 1024,
                   .tied = Tied::output,
                   .output_bias = false},
                  7);
  Adam<float> adam(network.parameters, trainable_segments(network.parameters, 0.03, false),
                   {.beta1 = 0.7, .beta2 = 0.95, .epsilon = 1e-6, .decoupled = false});
  train(network, adam,
        Schedule({.kind = ScheduleOptions::Kind::inverse_sqrt,
                  .lr = 3e-3,
                  .warmup = 4,
                  .warmup_init_lr = 1e-4,
                  .min_lr = 2.5e-3}),
        texts.encoded({.max_length = 9}),
        {.sampler = {.max_tokens = 300, .rule = BatchRule::tokens, .seed = 7},
         .label_smoothing = 0.15,
         .clip_norm = 0.4,
         .accumulate = 5,
         .updates = 9,
         .seed = 7});
  check_same(tiny, "run", network, adam);
}

TEST_CASE("by hand: AdamW over all parameters, cosine, post-norm, learned positions, one vocabulary, wide heads") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"data.shared_vocabulary=true",
                               "data.max_length=30",
                               "model.heads=3",
                               "model.head_width=5",
                               "model.similarity=general",
                               "model.norm=post",
                               "model.final_norm=false",
                               "model.norm_epsilon=1e-2",
                               "model.epsilon_place=outside",
                               "model.norm_affine=scalar",
                               "model.activation=gelu",
                               "model.positions=learned",
                               "model.max_positions=40",
                               "model.tied=all",
                               "model.attention_bias=output",
                               "model.output_bias=true",
                               "model.scale_embeddings=false",
                               "model.init=normal",
                               "model.init_std=0.05",
                               "model.dropout=0.1",
                               "optim.name=adamw",
                               "optim.lr=4e-3",
                               "optim.weight_decay=0.2",
                               "optim.decay_norm_and_bias=true",
                               "optim.clip_norm=0",
                               "optim.schedule=cosine",
                               "optim.warmup=3",
                               "optim.total_updates=12",
                               "optim.min_lr=1e-4",
                               "train.label_smoothing=0",
                               "train.max_updates=10"}));
  Texts texts{toy(tiny, "train"), {}, {}};
  texts.source = texts.target = train_word_tokenizer(both_sides(texts.corpus), {.min_frequency = 1, .max_size = 8000});
  Network network({.source_vocabulary = texts.source->vocabulary_size(),
                   .target_vocabulary = texts.source->vocabulary_size(),
                   .stack = {.width = 16,
                             .heads = 3,
                             .head_width = 5,
                             .similarity = Similarity::general,
                             .feed_forward = 32,
                             .norm = NormPlace::post,
                             .final_norm = false,
                             .norm_epsilon = 1e-2,
                             .norm_affine = NormAffine::scalar,
                             .epsilon_place = EpsilonPlace::outside,
                             .activation = Activation::gelu,
                             .attention_bias = AttentionBias::output,
                             .residual_dropout = 0.1,
                             .attention_dropout = 0.1,
                             .activation_dropout = 0.1,
                             .weight_init = init::normal(0.05)},
                   .encoder_layers = 1,
                   .decoder_layers = 1,
                   .embedding_dropout = 0.1,
                   .learned_positions = true,
                   .max_positions = 40,
                   .tied = Tied::all,
                   .scale_embeddings = false,
                   .output_bias = true},
                  1);
  Adam<float> adamw(network.parameters, trainable_segments(network.parameters, 0.2, true),
                    {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9, .decoupled = true});
  train(network, adamw,
        Schedule({.kind = ScheduleOptions::Kind::cosine, .lr = 4e-3, .warmup = 3, .min_lr = 1e-4, .total_updates = 12}),
        texts.encoded({.max_length = 30}), {.sampler = {.max_tokens = 512}, .updates = 10});
  check_same(tiny, "run", network, adamw);
}

TEST_CASE("by hand: SGD with momentum and frozen parts, linear, characters, moved special ids") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"data.tokenizer=characters",
                               "data.min_frequency=20",
                               "data.vocab_size=24",
                               "data.shared_vocabulary=true",
                               "data.lowercase=true",
                               "data.source_bos=true",
                               "data.source_eos=false",
                               "data.unk_id=3",
                               "data.pad_id=0",
                               "data.bos_id=1",
                               "data.eos_id=2",
                               "data.max_tokens=300",
                               "model.similarity=additive",
                               "model.sinusoid=halves",
                               "model.feed_forward=0",
                               "model.bias=false",
                               "model.norm_affine=gain",
                               "model.tied=embeddings",
                               "model.decoder_layers=2",
                               "optim.name=sgd",
                               "optim.lr=0.05",
                               "optim.momentum=0.8",
                               "optim.weight_decay=0.01",
                               "optim.freeze=encoder.layers.0.*,decoder.norm*",
                               "optim.clip_norm=0.5",
                               "optim.schedule=linear",
                               "optim.warmup=2",
                               "optim.total_updates=8",
                               "optim.min_lr=0.01",
                               "train.max_updates=7"}));
  Texts texts{toy(tiny, "train", {.lowercase = true}), {}, {}};
  texts.source = texts.target = train_character_tokenizer(
      both_sides(texts.corpus),
      {.specials = {.unk = 3, .pad = 0, .bos = 1, .eos = 2}, .min_frequency = 20, .max_size = 24});
  Network network({.source_vocabulary = texts.source->vocabulary_size(),
                   .target_vocabulary = texts.source->vocabulary_size(),
                   .stack = {.width = 16,
                             .heads = 2,
                             .similarity = Similarity::additive,
                             .feed_forward = 0,
                             .norm = NormPlace::pre,
                             .norm_affine = NormAffine::gain,
                             .bias = false,
                             .residual_dropout = 0.3,
                             .attention_dropout = 0.3,
                             .activation_dropout = 0.3},
                   .encoder_layers = 1,
                   .decoder_layers = 2,
                   .embedding_dropout = 0.3,
                   .sinusoid = Sinusoid::halves,
                   .tied = Tied::embeddings,
                   .output_bias = false},
                  1);
  freeze(network.parameters, {"encoder.layers.0.*", "decoder.norm*"});
  Sgd<float> sgd(network.parameters, trainable_segments(network.parameters, 0.01, false), {.momentum = 0.8});
  train(network, sgd,
        Schedule({.kind = ScheduleOptions::Kind::linear, .lr = 0.05, .warmup = 2, .min_lr = 0.01, .total_updates = 8}),
        texts.encoded({.source_bos = true, .source_eos = false, .max_length = 256}),
        {.sampler = {.max_tokens = 300}, .label_smoothing = 0.1, .clip_norm = 0.5, .updates = 7});
  check_same(tiny, "run", network, sgd);
}

TEST_CASE("by hand: noam over two epochs of few sentences, subwords of a unigram model") {
  const TinyRun tiny;
  const std::string corpus = tiny.write_corpus("Ａ red house\nthe green tree\nblue sky ½\nthe dog sees the tree\n",
                                               "laal ghar\nhara ped\nneela aasmaan\nkutta ped ko dekhta hai\n");
  succeeded(tiny.train("run", {"data.train=" + corpus,
                               "data.valid=",
                               "data.tokenizer=sentencepiece",
                               "data.sentencepiece_model=unigram",
                               "data.vocab_size=40",
                               "data.normalization=nfkc_cf",
                               "data.character_coverage=0.98",
                               "data.batch_rule=sentences",
                               "data.max_tokens=1",
                               "model.width=20",
                               "model.similarity=dot",
                               "model.sinusoid=raw_index",
                               "model.activation=silu",
                               "model.norm_affine=none",
                               "model.tied=none",
                               "model.attention_bias=none",
                               "optim.schedule=noam",
                               "optim.factor=0.7",
                               "optim.warmup=5",
                               "train.max_updates=0",
                               "train.max_epochs=2",
                               "train.accumulate=3"}));
  Texts texts{read_parallel(corpus, "en", "hi"), {}, {}};
  const SentencepieceOptions subwords{
      .model = SubwordModel::unigram, .vocabulary_size = 40, .character_coverage = 0.98, .normalization = "nfkc_cf"};
  texts.source = train_sentencepiece(texts.corpus.source, subwords);
  texts.target = train_sentencepiece(texts.corpus.target, subwords);
  Network network({.source_vocabulary = texts.source->vocabulary_size(),
                   .target_vocabulary = texts.target->vocabulary_size(),
                   .stack = {.width = 20,
                             .heads = 2,
                             .similarity = Similarity::dot,
                             .feed_forward = 32,
                             .norm = NormPlace::pre,
                             .norm_affine = NormAffine::none,
                             .activation = Activation::silu,
                             .attention_bias = AttentionBias::none,
                             .residual_dropout = 0.3,
                             .attention_dropout = 0.3,
                             .activation_dropout = 0.3},
                   .encoder_layers = 1,
                   .decoder_layers = 1,
                   .embedding_dropout = 0.3,
                   .sinusoid = Sinusoid::raw_index,
                   .tied = Tied::none,
                   .output_bias = false},
                  1);
  Adam<float> adam(network.parameters, trainable_segments(network.parameters),
                   {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9});
  // Four batches an epoch, three an update: two updates, the second of one batch.
  train(network, adam, Schedule({.kind = ScheduleOptions::Kind::noam, .warmup = 5, .factor = 0.7, .width = 20}),
        texts.encoded({.max_length = 256}),
        {.sampler = {.max_tokens = 1, .rule = BatchRule::sentences},
         .label_smoothing = 0.1,
         .clip_norm = 1,
         .accumulate = 3,
         .updates = 4});
  check_same(tiny, "run", network, adam);
}

namespace {

/// A plateau of the validation perplexity, which is the moving average's if `decay` is above 0.
void check_plateau(const char* decay) {
  const TinyRun tiny;
  succeeded(tiny.train(
      "run", {"model.dropout=0", "optim.schedule=plateau", "optim.lr=0.5", "optim.warmup=2", "optim.plateau_factor=0.3",
              "optim.plateau_patience=1", "optim.min_lr=0.01", "train.metric=perplexity", "train.validate_every=2u",
              "train.decode_validation=false", "train.max_updates=40", fmt::format("train.ema={}", decay)}));
  Texts texts{toy(tiny, "train"), {}, {}};
  texts.source = train_word_tokenizer(texts.corpus.source, {.max_size = 8000});
  texts.target = train_word_tokenizer(texts.corpus.target, {.max_size = 8000});
  const EncodedCorpus valid = encode_corpus(toy(tiny, "valid"), *texts.source, *texts.target, {.max_length = 256});
  Network network({.source_vocabulary = texts.source->vocabulary_size(),
                   .target_vocabulary = texts.target->vocabulary_size(),
                   .stack = {.width = 16,
                             .heads = 2,
                             .feed_forward = 32,
                             .norm = NormPlace::pre,
                             .residual_dropout = 0,
                             .attention_dropout = 0,
                             .activation_dropout = 0},
                   .encoder_layers = 1,
                   .decoder_layers = 1,
                   .embedding_dropout = 0,
                   .tied = Tied::output,
                   .output_bias = false},
                  1);
  Adam<float> adam(network.parameters, trainable_segments(network.parameters),
                   {.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9});
  std::optional<MovingAverage<float>> average;
  if (std::stod(decay) > 0) average.emplace(network.parameters, std::stod(decay));
  Schedule schedule({.kind = ScheduleOptions::Kind::plateau,
                     .lr = 0.5,
                     .warmup = 2,
                     .min_lr = 0.01,
                     .plateau_factor = 0.3,
                     .plateau_patience = 1});
  const auto after = [&](int update) {
    if (average) average->update(update);
    const AverageInUse<float> in_use(average ? &*average : nullptr);
    if (update % 2 == 0) schedule.observe(std::exp(mean_loss(network, valid, 512)), false);
  };
  train(network, adam, schedule, texts.encoded({.max_length = 256}),
        {.sampler = {.max_tokens = 512}, .label_smoothing = 0.1, .clip_norm = 1, .updates = 40}, after);
  CHECK_GE(schedule.plateau().reductions, 1);
  check_same(tiny, "run", network, adam, average ? &*average : nullptr);
}

}  // namespace

TEST_CASE("by hand: a plateau of the validation perplexity lowers the learning rate") { check_plateau("0"); }

TEST_CASE("by hand: a moving average is validated, and training continues from the weights") { check_plateau("0.5"); }
