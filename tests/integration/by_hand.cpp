#include "tests/integration/by_hand.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "optim/clip.h"
#include "tests/support/tree.h"
#include "train/model/criterion.h"

namespace glossa::testing {

namespace {

/// Loss of a batch, ready for backward.
CrossEntropy<float> loss_of(Context<float>& context, const Network& network, const Batch& batch, int pad,
                            double label_smoothing) {
  const Variable<float> memory = network.transformer.encode(context, batch.source, batch.source_layout());
  const Variable<float> states =
      network.transformer.decode(context, batch.target_in, batch.target_layout(), memory, batch.source_layout());
  return network.transformer.loss(states, batch.target_out, pad, label_smoothing);
}

}  // namespace

ParallelCorpus toy(const TinyRun& tiny, const char* part, const CorpusOptions& options) {
  return read_parallel(tiny / "toy" / part, "en", "hi", options);
}

Strings both_sides(const ParallelCorpus& corpus) {
  Strings both = corpus.source;
  both.insert(both.end(), corpus.target.begin(), corpus.target.end());
  return both;
}

void Network::read(const CheckpointReader& checkpoint) {
  for (const Parameter<float>* parameter : parameters.parameters()) {
    const std::vector<std::byte> bytes = checkpoint.read(parameter->name);
    REQUIRE_EQ(bytes.size(), static_cast<std::size_t>(parameter->value.size()) * sizeof(float));
    std::memcpy(parameter->value.data, bytes.data(), bytes.size());
  }
}

void train(Network& network, Optimizer<float>& optimizer, const Schedule& schedule, const EncodedCorpus& corpus,
           const LoopOptions& options, const std::function<void(int)>& after) {
  Context<float> context;
  const Sampler sampler(corpus, options.sampler);
  int epoch = 0;
  Batches batches = sampler.epoch(epoch, true);
  std::size_t next = 0;
  for (int update = 1; update <= options.updates; ++update) {
    std::vector<std::vector<float>> terms;
    double tokens = 0;
    for (int i = 0; i < options.accumulate && next < batches.size(); ++i, ++next) {
      const Batch batch = make_batch(corpus, batches[next], Layout::packed);
      network.parameters.clear_grads();
      context.begin({.training = true, .seed = options.seed, .update = static_cast<std::uint64_t>(update - 1)});
      const CrossEntropy<float> loss = loss_of(context, network, batch, corpus.specials.pad, options.label_smoothing);
      context.backward(loss.sum);
      network.parameters.fill_unset_grads();
      const std::span<float> grads = network.parameters.grads();
      terms.emplace_back(grads.begin(), grads.end());
      tokens += static_cast<double>(loss.count);
    }
    std::ranges::copy(sum_in_tree(terms), network.parameters.grads().begin());
    const double norm = optimizer.grad_norm() / tokens;
    optimizer.step(schedule.lr(update), clip_factor(norm, options.clip_norm) / tokens);
    if (next == batches.size()) {
      batches = sampler.epoch(++epoch, true);
      next = 0;
    }
    if (after) after(update);
  }
}

double mean_loss(const Network& network, const EncodedCorpus& corpus, std::int64_t max_tokens) {
  Context<float> context;
  double sum = 0, tokens = 0;
  for (const std::span<const int> indices : Sampler(corpus, {.max_tokens = max_tokens, .seed = 0}).epoch(0, false)) {
    context.begin({.training = false, .recording = false});
    const Batch batch = make_batch(corpus, indices, Layout::packed);
    const CrossEntropy<float> loss = loss_of(context, network, batch, corpus.specials.pad, 0);
    sum += loss.nll_sum;
    tokens += static_cast<double>(loss.count);
  }
  return sum / tokens;
}

void check_same(const TinyRun& tiny, const std::string& run, const Network& network, const Optimizer<float>& optimizer,
                const MovingAverage<float>* average) {
  const CheckpointReader checkpoint(tiny / run / "checkpoints/last");
  const auto check_tensor = [&](const std::string& name, const float* wanted, Index size) {
    CAPTURE(name);
    REQUIRE_NE(checkpoint.find(name), nullptr);
    const std::vector<std::byte> got = checkpoint.read(name);
    REQUIRE_EQ(got.size(), static_cast<std::size_t>(size) * sizeof(float));
    CHECK_EQ(std::memcmp(got.data(), wanted, got.size()), 0);
  };
  std::size_t tensors = 5;  // the state, the program's version, the host, the usual number of words, several_percent
  for (const Parameter<float>* parameter : network.parameters.parameters()) {
    check_tensor(parameter->name, parameter->value.data, parameter->value.size());
    for (const StateBuffer<float>& buffer : optimizer.state())
      check_tensor(fmt::format("{}:{}", buffer.name, parameter->name), buffer.values.data() + parameter->offset,
                   parameter->value.size());
    if (average)
      check_tensor("ema:" + parameter->name, average->average().data() + parameter->offset, parameter->value.size());
    tensors += 1 + optimizer.state().size() + (average ? 1 : 0);
  }
  CHECK_EQ(checkpoint.entries().size(), tensors);
}

}  // namespace glossa::testing
