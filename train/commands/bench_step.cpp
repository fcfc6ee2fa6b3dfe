#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "autograd/check.h"
#include "autograd/heap_counter.h"
#include "autograd/kernels/gemm.h"
#include "autograd/parallel.h"
#include "optim/adam.h"
#include "train/commands/commands.h"
#include "train/criterion.h"
#include "train/json_line.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

/// One training step of nn.Transformer as PyTorch builds it: post-norm with final norms, biases everywhere, separate
/// embeddings and output projection, dropout 0.1 at every place, B sentences of S source and T target tokens.
struct Shape {
  const char* name;
  Index batch, source, target, vocabulary, width, heads, feed_forward, layers;
};

constexpr Shape shapes[] = {
    {"seed", 4, 20, 15, 1000, 256, 4, 1024, 3},  // the articles' training sketch
    {"tiny", 128, 16, 16, 8000, 128, 4, 256, 4},
    {"small", 64, 16, 16, 8000, 256, 8, 1024, 3},
    {"base", 16, 32, 32, 8000, 512, 8, 2048, 6},
};

const Shape& shape_of(const std::string& name) {
  for (const Shape& shape : shapes)
    if (name == shape.name) return shape;
  misuse("bench step --config", "expected seed, tiny, small or base; got {}", name);
}

TransformerOptions options_of(const Shape& s) {
  TransformerOptions options;
  options.source_vocabulary = options.target_vocabulary = s.vocabulary;
  options.stack.width = s.width;
  options.stack.heads = s.heads;
  options.stack.feed_forward = s.feed_forward;
  options.encoder_layers = options.decoder_layers = s.layers;
  options.max_positions = 512;
  return options;
}

/// Random sentences of equal length, ids 1 to V-1.
Batch random_batch(const Shape& s) {
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
    corpus.target.push_back(sentence(s.target - 1));  // the batch puts <s> before it and </s> behind it
    indices.push_back(static_cast<int>(b));
  }
  return make_batch(corpus, indices, Layout::packed);
}

}  // namespace

int run(const BenchStep& arguments) {
  apply_runtime({.threads = arguments.threads});
  const Shape& s = shape_of(arguments.config);
  ParameterStore<float> parameters;
  const Transformer<float> model(parameters, options_of(s));
  parameters.allocate(1);
  Adam<float> adam(parameters, trainable_segments(parameters));
  const Batch batch = random_batch(s);
  BatchRows rows;
  rows.assign(batch);
  Context<float> context;
  std::uint64_t update = 0;
  const auto step = [&] {
    parameters.clear_grads();
    context.begin({.training = true, .seed = 1, .update = update++});
    const CrossEntropy<float> loss = batch_loss(context, model, batch, rows, 0, 0);
    context.backward(loss.sum);
    parameters.fill_unset_grads();
    adam.step(1e-3, 1.0 / static_cast<double>(loss.count));
  };

  for (int i = 0; i < 3; ++i) step();  // warm-up
  std::vector<double> ms(static_cast<std::size_t>(std::max<std::int64_t>(1, arguments.steps)));
  const std::size_t heap = heap_allocations(), library = library_heap_allocations();
  for (double& time : ms) {
    const auto start = std::chrono::steady_clock::now();
    step();
    time = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  const double count = static_cast<double>(ms.size());
  const double per_step = static_cast<double>(heap_allocations() - heap) / count;
  const double library_per_step = static_cast<double>(library_heap_allocations() - library) / count;
  std::ranges::sort(ms);
  const double median = (ms[(ms.size() - 1) / 2] + ms[ms.size() / 2]) / 2;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);

  const double tokens_per_s = static_cast<double>(s.batch * (s.source + s.target)) / median * 1000;
  const double peak_rss_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  const std::string backend = kernels::name(kernels::gemm_backend());
  if (arguments.json) {
    JsonLine json;
    json.add("config", s.name).add("threads", threads()).add("params", parameters.count()).add("ms_median", median);
    json.add("ms_min", ms.front()).add("tokens_per_s", tokens_per_s).add("heap_allocations_per_step", per_step);
    json.add("library_heap_allocations_per_step", library_per_step).add("peak_rss_mb", peak_rss_mb);
    json.add("gemm_backend", backend);
    std::puts(json.text().c_str());
    return 0;
  }
  fmt::print("{}: {} parameters, {} thread{}, products by {}\n", s.name, parameters.count(), threads(),
             threads() == 1 ? "" : "s", backend);
  fmt::print("{:.1f} ms a step (median of {}; least {:.1f}), {:.0f} tokens/s, peak memory {:.0f} MB\n", median,
             ms.size(), ms.front(), tokens_per_s, peak_rss_mb);
  fmt::print("heap allocations a step: {:.2f}, and {:.0f} inside the product library\n", per_step, library_per_step);
  return 0;
}

}  // namespace glossa::commands
