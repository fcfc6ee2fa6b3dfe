#include <cstdio>
#include <exception>

#include "optim/adam.h"
#include "optim/clip.h"
#include "train/corpus_loss.h"
#include "train/model/criterion.h"
#include "train/run.h"

using namespace glossa;

const Config config = parse_config(R"(
data: {train: "toy:3000", source: en, target: hi, tokenizer: words, shared_vocabulary: false, max_tokens: 512}
model: {width: 64, feed_forward: 128, encoder_layers: 1, decoder_layers: 1, dropout: 0.05, norm: post, tied: output}
)",
                                   "tutorial");

/// Trains a model, and prints its losses per token meanwhile.
std::unique_ptr<Model> train(const EncodedCorpus& pairs, const EncodedCorpus& unseen, const Tokenizers& words,
                             int updates, double rate) {
  std::printf("%d pairs, learning rate %g\n", pairs.size(), rate);
  auto model = make_model(config.model, words.source->vocabulary_size(), words.target->vocabulary_size(), /*seed=*/1);
  Adam<float> adam(model->parameters, trainable_segments(model->parameters));
  const Schedule schedule({.kind = ScheduleOptions::Kind::cosine, .lr = rate, .warmup = 50, .total_updates = updates});
  const Sampler sampler(pairs, sampler_options(config.data, /*seed=*/1));
  Batches batches;
  Context<float> context;
  double sum = 0, tokens = 0;  // since the last line
  for (int update = 1, epoch = 0; update <= updates; ++update) {
    if (batches.empty()) batches = sampler.epoch(epoch++, /*shuffle=*/true);
    const Batch batch = make_batch(pairs, batches.back(), Layout::packed);
    batches.pop_back();
    context.begin({.training = true, .seed = 1, .update = static_cast<std::uint64_t>(update)});
    model->parameters.clear_grads();
    const auto loss = batch_loss(context, *model->transformer, batch, pairs.specials.pad, /*label_smoothing=*/0);
    context.backward(loss.sum);
    const double mean = 1.0 / static_cast<double>(loss.count);
    adam.step(schedule.lr(update), mean * clip_factor(mean * adam.grad_norm(), /*max_norm=*/1));
    sum += loss.nll_sum, tokens += static_cast<double>(loss.count);
    if (update % 100 > 0) continue;
    const double validation = corpus_loss(context, *model->transformer, unseen, config.data).per_token();
    std::printf("update %3d  training %.1f  validation %.1f\n", update, sum / tokens, validation);
    sum = tokens = 0;
  }
  return model;
}

int main() try {
  Corpora corpora = read_corpora(config.data, /*seed=*/1);
  ParallelCorpus &training = corpora.training, &validation = corpora.validation;
  const Tokenizers words = train_tokenizers(config.data, training);
  const EncodedCorpus pairs = encode(config.data, training, words), unseen = encode(config.data, validation, words);
  const auto model = train(pairs, unseen, words, 600, 0.007);
  train(pairs, unseen, words, 200, 0.1);
  for (auto* side : {&training.source, &training.target}) side->resize(100);
  train(encode(config.data, training, words), unseen, words, 200, 0.007);
  std::filesystem::remove_all("runs/tutorial");  // from an earlier try
  write_new_run("runs/tutorial", config, words, *model, data_hash(pairs, unseen));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
