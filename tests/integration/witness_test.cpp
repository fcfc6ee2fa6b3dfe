// What a configuration says is what training and translation do: runs of `glossa` with many options off their defaults,
// against the same done here by hand from the library's classes, with the numbers written out again. Nothing of
// train/config, model_factory or trainer is used; the weights must be equal to the bit.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <cstring>

#include "data/character_tokenizer.h"
#include "data/sampler.h"
#include "data/sentencepiece_tokenizer.h"
#include "data/utf8.h"
#include "data/word_tokenizer.h"
#include "optim/adam.h"
#include "optim/clip.h"
#include "optim/lr_schedule.h"
#include "optim/sgd.h"
#include "tests/integration/tiny_run.h"
#include "train/bleu.h"
#include "train/checkpoint.h"
#include "train/checkpoint_file.h"
#include "train/chrf.h"
#include "train/criterion.h"
#include "train/decoding.h"
#include "train/ter.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// Pairs of sentences, and what cuts them into tokens.
struct Texts {
  ParallelCorpus corpus;
  std::shared_ptr<const Tokenizer> source, target;

  EncodedCorpus encoded(const EncodeOptions& options) const { return encode_corpus(corpus, *source, *target, options); }
};

/// Both sides, one after the other: what a shared vocabulary is learnt from.
Strings both_sides(const ParallelCorpus& corpus) {
  Strings both = corpus.source;
  both.insert(both.end(), corpus.target.begin(), corpus.target.end());
  return both;
}

struct Network {
  ParameterStore<float> parameters;
  Transformer<float> transformer;

  Network(const TransformerOptions& options, std::uint64_t seed) : transformer(parameters, options) {
    parameters.allocate(seed);
  }

  /// Takes the weights of a checkpoint.
  void read(const CheckpointReader& checkpoint) {
    for (const Parameter<float>* parameter : parameters.parameters()) {
      const std::vector<std::byte> bytes = checkpoint.read(parameter->name);
      REQUIRE_EQ(bytes.size(), static_cast<std::size_t>(parameter->value.size()) * sizeof(float));
      std::memcpy(parameter->value.data, bytes.data(), bytes.size());
    }
  }
};

/// What training takes beside model, optimizer and learning rate.
struct LoopOptions {
  SamplerOptions sampler;
  Layout layout = Layout::packed;
  double label_smoothing = 0, clip_norm = 0;
  int accumulate = 1, updates = 0;
  std::uint64_t seed = 1;
};

/// Loss of a batch, ready for backward.
CrossEntropy<float> loss_of(Context<float>& context, const Network& network, const Batch& batch, int pad,
                            double label_smoothing) {
  BatchRows rows;
  rows.assign(batch);
  const Variable<float> memory = network.transformer.encode(context, batch.source, rows.source());
  const Variable<float> states =
      network.transformer.decode(context, batch.target_in, rows.target(), memory, rows.source());
  return network.transformer.loss(states, batch.target_out, pad, label_smoothing);
}

/// The training loop. `after(n)` is called when update n, counted from 1, is done.
template <class After>
void train(Network& network, Optimizer<float>& optimizer, const Schedule& schedule, const EncodedCorpus& corpus,
           const LoopOptions& options, const After& after) {
  Context<float> context;
  const Sampler sampler(corpus, options.sampler);
  int epoch = 0;
  std::vector<std::vector<int>> batches = sampler.epoch(epoch, true);
  std::size_t next = 0;
  for (int update = 1; update <= options.updates; ++update) {
    network.parameters.clear_grads();
    double tokens = 0;
    for (int i = 0; i < options.accumulate && next < batches.size(); ++i, ++next) {
      const Batch batch = make_batch(corpus, batches[next], options.layout);
      context.begin({.training = true, .seed = options.seed, .update = static_cast<std::uint64_t>(update - 1)});
      const CrossEntropy<float> loss = loss_of(context, network, batch, corpus.specials.pad, options.label_smoothing);
      context.backward(loss.sum);
      tokens += static_cast<double>(loss.count);
    }
    network.parameters.fill_unset_grads();
    const double norm = optimizer.grad_norm() / tokens;
    optimizer.step(schedule.lr(update), clip_factor(norm, options.clip_norm) / tokens);
    if (next == batches.size()) {
      batches = sampler.epoch(++epoch, true);
      next = 0;
    }
    after(update);
  }
}

void train(Network& network, Optimizer<float>& optimizer, const Schedule& schedule, const EncodedCorpus& corpus,
           const LoopOptions& options) {
  train(network, optimizer, schedule, corpus, options, [](int) {});
}

/// Parameters, and the optimizer's moments, of a run's last checkpoint are these to the bit.
void check_same(const TinyRun& tiny, const std::string& run, const Network& network,
                const Optimizer<float>& optimizer) {
  const CheckpointReader checkpoint(tiny / run / "checkpoints/last");
  const auto check_tensor = [&](const std::string& name, const float* wanted, Index size) {
    CAPTURE(name);
    REQUIRE_NE(checkpoint.find(name), nullptr);
    const std::vector<std::byte> got = checkpoint.read(name);
    REQUIRE_EQ(got.size(), static_cast<std::size_t>(size) * sizeof(float));
    CHECK_EQ(std::memcmp(got.data(), wanted, got.size()), 0);
  };
  std::size_t tensors = 1;  // the state
  for (const Parameter<float>* parameter : network.parameters.parameters()) {
    check_tensor(parameter->name, parameter->value.data, parameter->value.size());
    for (const StateBuffer<float>& buffer : optimizer.state())
      check_tensor(fmt::format("{}:{}", buffer.name, parameter->name), buffer.values.data() + parameter->offset,
                   parameter->value.size());
    tensors += 1 + optimizer.state().size();
  }
  CHECK_EQ(checkpoint.entries().size(), tensors);
}

ParallelCorpus toy(const TinyRun& tiny, const char* part, const CorpusOptions& options = {}) {
  return read_parallel(tiny / "toy" / part, "en", "hi", options);
}

}  // namespace

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
                               "train.accumulate=3",
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
         .accumulate = 3,
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

TEST_CASE("by hand: SGD with momentum and frozen parts, linear, padded characters, moved special ids") {
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
                               "data.layout=padded",
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
        {.sampler = {.max_tokens = 300},
         .layout = Layout::padded,
         .label_smoothing = 0.1,
         .clip_norm = 0.5,
         .updates = 7});
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

/// Loss per target token of a corpus, without dropout and smoothing.
double mean_loss(const Network& network, const EncodedCorpus& corpus, std::int64_t max_tokens) {
  Context<float> context;
  double sum = 0, tokens = 0;
  for (const std::vector<int>& indices : Sampler(corpus, {.max_tokens = max_tokens, .seed = 0}).epoch(0, false)) {
    context.begin({.training = false, .recording = false});
    const Batch batch = make_batch(corpus, indices, Layout::packed);
    const CrossEntropy<float> loss = loss_of(context, network, batch, corpus.specials.pad, 0);
    sum += loss.nll_sum;
    tokens += static_cast<double>(loss.count);
  }
  return sum / tokens;
}

}  // namespace

TEST_CASE("by hand: a plateau that the perplexity of the validation corpus reaches") {
  const TinyRun tiny;
  succeeded(tiny.train(
      "run", {"model.dropout=0", "optim.schedule=plateau", "optim.lr=0.5", "optim.warmup=2", "optim.plateau_factor=0.3",
              "optim.plateau_patience=1", "optim.min_lr=0.01", "train.metric=perplexity", "train.validate_every=2u",
              "train.decode_validation=false", "train.max_updates=40"}));
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
  Schedule schedule({.kind = ScheduleOptions::Kind::plateau,
                     .lr = 0.5,
                     .warmup = 2,
                     .min_lr = 0.01,
                     .plateau_factor = 0.3,
                     .plateau_patience = 1});
  const auto validate = [&](int update) {
    if (update % 2 == 0) schedule.observe(std::exp(mean_loss(network, valid, 512)), false);
  };
  train(network, adam, schedule, texts.encoded({.max_length = 256}),
        {.sampler = {.max_tokens = 512}, .label_smoothing = 0.1, .clip_norm = 1, .updates = 40}, validate);
  CHECK_GE(schedule.plateau().reductions, 1);
  check_same(tiny, "run", network, adam);
}

namespace {

/// A run that has learnt a little, and what it is by hand. Sources are lower-cased, with <s> and without </s>.
struct LearnedRun {
  static constexpr EncodeOptions encoding{.source_bos = true, .source_eos = false, .max_length = 256};

  TinyRun tiny;
  Texts texts;
  std::unique_ptr<Network> network;

  explicit LearnedRun(const Strings& more = {}) {
    Strings sets{"data.lowercase=true", "data.source_bos=true",  "data.source_eos=false", "model.dropout=0",
                 "optim.lr=0.01",       "train.max_updates=150", "train.save_every=0"};
    sets.insert(sets.end(), more.begin(), more.end());
    succeeded(tiny.train("run", sets));
    texts.corpus = toy(tiny, "train", {.lowercase = true});
    texts.source = train_word_tokenizer(texts.corpus.source, {.max_size = 8000});
    texts.target = train_word_tokenizer(texts.corpus.target, {.max_size = 8000});
    network = std::make_unique<Network>(
        TransformerOptions{.source_vocabulary = texts.source->vocabulary_size(),
                           .target_vocabulary = texts.target->vocabulary_size(),
                           .stack = {.width = 16, .heads = 2, .feed_forward = 32, .norm = NormPlace::pre},
                           .encoder_layers = 1,
                           .decoder_layers = 1,
                           .tied = Tied::output,
                           .output_bias = false},
        1);
    network->read(CheckpointReader(tiny / "run/checkpoints/last"));
  }

  /// What `glossa translate` is to write.
  Strings translated(const Strings& lines, const DecodeOptions& options) const {
    std::vector<std::vector<int>> sources;
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::vector<int> ids = texts.source->encode(utf8::lower_case(lines[i]));
      if (ids.empty()) continue;
      ids.insert(ids.begin(), 2);  // <s>
      sources.push_back(std::move(ids));
      numbers.push_back(static_cast<std::int64_t>(i) + 1);
    }
    const std::vector<Hypothesis> found =
        Searcher<float>().decode(network->transformer, sources, SpecialIds{}, options, numbers);
    Strings result(lines.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      result[static_cast<std::size_t>(numbers[i]) - 1] = texts.target->decode(found[i].tokens);
    return result;
  }

  /// Sentences that it was not trained on, the first letter of each a capital, and an empty line.
  Strings lines(const std::string& file) const {
    Strings all = lines_of(read_bytes(tiny / "toy" / file));
    for (std::string& line : all)
      if (line[0] >= 'a' && line[0] <= 'z') line[0] = static_cast<char>(line[0] - 'a' + 'A');
    return all;
  }
};

std::string text_of(const Strings& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

}  // namespace

TEST_CASE("by hand: translation with each option of decoding, and sources as the run reads them") {
  const LearnedRun run;
  Strings lines = run.lines("test.en");
  lines.insert(lines.begin() + 3, "");
  struct Case {
    Strings sets;
    DecodeOptions options, without;  // without what is looked at: must be another translation
  };
  const Case cases[] = {
      {{}, {}, {.beam = 4}},
      {{"decode.beam=4"}, {.beam = 4}, {}},
      {{"decode.beam=4", "decode.alpha=4", "decode.max_tokens=50"}, {.beam = 4, .alpha = 4}, {.beam = 4}},
      {{"decode.beam=4", "decode.length_penalty=none"},
       {.beam = 4, .length_penalty = LengthPenalty::none},
       {.beam = 4}},
      {{"decode.beam=4", "decode.length_penalty=gnmt", "decode.alpha=6"},
       {.beam = 4, .length_penalty = LengthPenalty::gnmt, .alpha = 6},
       {.beam = 4, .length_penalty = LengthPenalty::gnmt}},
      {{"decode.max_length_factor=0.5"}, {.max_length_factor = 0.5, .max_length_extra = 10}, {}},
      {{"decode.max_length_factor=0.5", "decode.max_length_extra=1"},
       {.max_length_factor = 0.5, .max_length_extra = 1},
       {.max_length_factor = 0.5}},
      {{"decode.sample=true"}, {.sample = true}, {}},
      {{"decode.sample=true", "decode.temperature=0.5"}, {.sample = true, .temperature = 0.5}, {.sample = true}},
      {{"decode.sample=true", "decode.seed=5"}, {.sample = true, .seed = 5}, {.sample = true}},
  };
  for (const Case& c : cases) {
    INFO(fmt::format("{}", fmt::join(c.sets, " ")));
    Strings arguments{"translate", run.tiny / "run"};
    for (const std::string& set : c.sets) arguments.insert(arguments.end(), {"--set", set});
    const Strings wanted = run.translated(lines, c.options);
    CHECK_NE(wanted, run.translated(lines, c.without));
    CHECK_EQ(succeeded(glossa_program(arguments, text_of(lines))).out, text_of(wanted));
  }
}

TEST_CASE("by hand: what is translated and evaluated is read as the run's texts are") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"data.invalid_utf8=replace", "data.max_line_bytes=80", "train.max_updates=1"}));
  const std::string text = "the boy \xff eats\n", too_long = std::string(81, 'x') + '\n';
  write_bytes(tiny / "text", text);
  write_bytes(tiny / "long", too_long);
  const Strings translate{"translate", tiny / "run"};
  CHECK_EQ(lines_of(succeeded(glossa_program(translate, text)).out).size(), 1);
  check_refused(glossa_program(translate, too_long), 1, {"[standard input:1]", "80 bytes"});
  Strings other_case = translate;
  other_case.insert(other_case.end(), {"--set", "data.lowercase=true"});
  check_refused(glossa_program(other_case), 2, {"[--set data.lowercase=true]", "a trained run keeps the others"});
  const auto evaluate = [&](const char* file) {
    return glossa_program({"evaluate", tiny / "run", "--source", tiny / file, "--reference", tiny / file});
  };
  succeeded(evaluate("text"));
  check_refused(evaluate("long"), 1, {"long:1]", "80 bytes"});
}

TEST_CASE("by hand: what evaluate prints") {
  const LearnedRun run;
  const Strings sources = run.lines("test.en"), outputs = run.translated(sources, {.beam = 3});
  Strings references = run.lines("test.hi");
  references[0] = outputs[0];
  write_bytes(run.tiny / "sources", text_of(sources));
  write_bytes(run.tiny / "references", text_of(references));
  auto scores = json_object(succeeded(glossa_program({"evaluate", run.tiny / "run", "--source", run.tiny / "sources",
                                                      "--reference", run.tiny / "references", "--beam", "3", "--json"}))
                                .out);
  ParallelCorpus corpus;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    corpus.source.push_back(utf8::lower_case(sources[i]));
    corpus.target.push_back(utf8::lower_case(references[i]));
  }
  double equal = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) equal += outputs[i] == corpus.target[i];
  const auto number = [&](const char* key) { return std::stod(scores.at(key)); };
  const double loss =
      mean_loss(*run.network, encode_corpus(corpus, *run.texts.source, *run.texts.target, LearnedRun::encoding), 512);
  CHECK_EQ(number("loss"), loss);
  CHECK_EQ(number("perplexity"), std::exp(loss));
  CHECK_EQ(number("bleu"), corpus_bleu(outputs, corpus.target).score);
  CHECK_EQ(number("chrf"), corpus_chrf(outputs, corpus.target));
  CHECK_EQ(number("ter"), corpus_ter(outputs, corpus.target));
  CHECK_EQ(number("exact_match"), equal / static_cast<double>(outputs.size()));
  CHECK_GT(number("bleu"), 0);
  CHECK_GT(equal, 0);
}

TEST_CASE("by hand: the scores and samples of a validation, with the options of decoding") {
  const LearnedRun run(
      {"train.validate_every=50u", "train.metric=bleu", "train.samples=3", "decode.beam=4", "decode.alpha=4"});
  const Strings lines = run.tiny.metrics("run");
  auto scores = json_object(lines.back());
  const ParallelCorpus valid = toy(run.tiny, "valid", {.lowercase = true});
  const Strings outputs = run.translated(valid.source, {.beam = 4, .alpha = 4});
  CHECK_NE(outputs, run.translated(valid.source, {.beam = 4}));
  double equal = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) equal += outputs[i] == valid.target[i];
  const double loss =
      mean_loss(*run.network, encode_corpus(valid, *run.texts.source, *run.texts.target, LearnedRun::encoding), 512);
  const auto number = [&](const char* key) { return std::stod(scores.at(key)); };
  CHECK_EQ(scores.at("update"), "150");
  CHECK_EQ(number("valid_loss"), loss);
  CHECK_EQ(number("valid_perplexity"), std::exp(loss));
  CHECK_EQ(number("valid_bleu"), corpus_bleu(outputs, valid.target).score);
  CHECK_EQ(number("valid_chrf"), corpus_chrf(outputs, valid.target));
  CHECK_EQ(number("valid_exact_match"), equal / static_cast<double>(outputs.size()));
  double best = 0;
  for (const std::string& line : lines)
    if (auto object = json_object(line); object.contains("valid_bleu"))
      best = std::max(best, std::stod(object.at("valid_bleu")));
  CHECK_GT(best, 0);
  CHECK_EQ(read_training_state(CheckpointReader(run.tiny / "run/checkpoints/last")).best, best);
  std::string samples;
  for (const std::size_t i : {std::size_t{0}, outputs.size() / 3, outputs.size() * 2 / 3})
    samples +=
        fmt::format("source     {}\nreference  {}\noutput     {}\n\n", valid.source[i], valid.target[i], outputs[i]);
  CHECK_EQ(read_bytes(run.tiny / "run/samples/update-00000150.txt"), samples);
}
