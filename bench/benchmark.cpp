#include "bench/benchmark.h"

#include "base/check.h"
#include "data/encoded_corpus.h"
#include "train/model/memory_check.h"

namespace glossa::bench {

namespace {

constexpr StepShape shapes[] = {
    {"seed", 4, 20, 15, 1000, 256, 4, 1024, 3},  // sizes from the articles' sketch of training
    {"tiny", 128, 16, 16, 8000, 128, 4, 256, 4},
    {"small", 64, 16, 16, 8000, 256, 8, 1024, 3},
    {"base", 16, 32, 32, 8000, 512, 8, 2048, 6},
    {"opus", 16, 64, 64, 60000, 512, 8, 2048, 6, Tied::all},  // sizes of OPUS-MT's pretrained models
};

/// Makes random sentences of equal length, with ids from 1 to V-1.
Batch random_batch(const StepShape& s) {
  RandomStream random(0, "bench");
  EncodedCorpus corpus;
  corpus.specials = {.unk = -1, .pad = 0, .bos = 1, .eos = 2};
  const auto sentence = [&](Index length) {
    std::vector<int> ids(static_cast<std::size_t>(length));
    std::ranges::generate(
        ids, [&] { return static_cast<int>(1 + random.below(static_cast<std::uint64_t>(s.vocabulary - 1))); });
    return ids;
  };
  std::vector<int> indices;
  for (Index b = 0; b < s.batch; ++b) {
    corpus.source.push_back(sentence(s.source));
    corpus.target.push_back(sentence(s.target - 1));  // the batch adds <s> and </s>
    indices.push_back(static_cast<int>(b));
  }
  return make_batch(corpus, indices, Layout::packed);
}

}  // namespace

TransformerOptions options_of(const StepShape& s) {
  TransformerOptions options;
  options.source_vocabulary = options.target_vocabulary = s.vocabulary;
  options.stack.width = s.width;
  options.stack.heads = s.heads;
  options.stack.feed_forward = s.feed_forward;
  options.encoder_layers = options.decoder_layers = s.layers;
  options.max_positions = 512;
  options.tied = s.tied;
  return options;
}

const StepShape& step_shape(const std::string& name) {
  for (const StepShape& shape : shapes)
    if (name == shape.name) return shape;
  misuse("--config", "expected seed, tiny, small, base or opus; got {}", name);
}

StepBenchmark::StepBenchmark(const StepShape& shape, Precision precision, std::int64_t micro_batches, const Job& job)
    : precision_(precision),
      micro_batches_(micro_batches),
      job_(job),
      model_(parameters_, options_of(shape)),
      batch_(random_batch(shape)) {
  const MemoryNeed need = memory_need(options_of(shape), extent_of(batch_), /*moments=*/2, 0, 0, precision);
  check_model_fits("--config", need.of_training(), memory_left(job));
  parameters_.allocate(1);
  adam_.emplace(parameters_, trainable_segments(parameters_), AdamOptions{}, OptimizerShare{job.rank(), job.count()});
  gradient_sum_.emplace(parameters_, job);
}

void StepBenchmark::step(Profile* profile) {
  context_.set_profile(profile);
  if (profile) profile->start();
  std::int64_t tokens = 0;
  gradient_sum_->add_up(micro_batches_, adam_->bounds(), [&](std::int64_t) {
    context_.begin({.training = true, .seed = 1, .update = update_, .precision = precision_});
    const CrossEntropy<float> loss = batch_loss(context_, model_, batch_, 0, 0);
    context_.backward(loss.sum);
    tokens = loss.count * micro_batches_;
  });
  ++update_;
  if (profile) profile->lap("between ops", false, 0);
  adam_->step(1e-3, 1.0 / static_cast<double>(tokens));
  job_.share_stretches(parameters_.values(), adam_->bounds());
  if (profile) profile->lap("adam", false, 28.0 * static_cast<double>(parameters()));
}

double median(std::span<const double> sorted) {
  return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

}  // namespace glossa::bench
