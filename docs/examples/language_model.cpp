#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "autograd/operators.h"
#include "layers/embedding.h"
#include "layers/encoder.h"
#include "optim/adam.h"

using namespace glossa;

constexpr Index characters = 128, width = 64, longest = 64;

/// Decoder-only: embedding, causal stack, output projection.
struct LanguageModel {
  Embedding<float> embedding;
  Encoder<float> stack;
  Linear<float> output;

  explicit LanguageModel(ParameterStore<float>& parameters)
      : embedding(parameters.declare("embedding.weight", {characters, width}, init::normal(0.1)),
                  PositionalEncoding<float>::sinusoidal(longest, width), {.factor = 8, .dropout = 0.1}),
        stack(parameters, "stack", {.layers = 2, .width = width, .heads = 4, .causal = true, .feed_forward = 128}),
        output(parameters, "output", width, characters) {}

  /// Logits of the character after each one of a text.
  Variable<float> operator()(Context<float>& context, std::span<const int> text, const RowLayout& layout) const {
    return output(stack(embedding(context, text, layout), layout));
  }
  /// Logits of the character after `last`, with the earlier ones in a cache.
  Variable<float> step(Context<float>& context, int last, DecoderCache<float>& cache) const {
    return output(stack.step(embedding(context, {&last, 1}, cache.query_layout()), cache));
  }
};

/// Prints a line, each character drawn from softmax(logits / temperature).
void print_sample(const LanguageModel& model, double temperature, RandomStream& random) {
  Context<float> context;
  DecoderCache<float> cache;
  model.stack.start(cache, /*rows=*/1, longest);
  int last = '\n';
  do {
    context.begin({.training = false, .recording = false});
    const auto p = softmax(model.step(context, last, cache) / temperature).value();
    double left = random.uniform() - p[last = 0];
    while (left >= 0 && last < characters - 1) left -= p[++last];
    std::putchar(last);
  } while (last != '\n' && cache.position() < longest);
}

int main() try {
  std::vector<int> before, next;  // for each position; each line is its own sequence
  std::vector<RowSpan> lines;
  for (const std::string line : {"Peter Piper picked a peck of pickled peppers.", "Where is the peck?",
                                 "A peck of pickled peppers Peter Piper picked."}) {
    lines.push_back({.offset = std::ssize(next), .length = std::ssize(line) + 1});
    for (const char character : '\n' + line) before.push_back(character);
    for (const char character : line + '\n') next.push_back(character);
  }
  const RowLayout layout{.rows = std::ssize(next), .sequences = lines};
  ParameterStore<float> parameters;
  const LanguageModel model(parameters);
  parameters.allocate(/*seed=*/1);
  Adam<float> adam(parameters, trainable_segments(parameters));
  Context<float> context;
  double loss_per_character = 0;
  for (std::uint64_t update = 1; update <= 200; ++update) {
    context.begin({.training = true, .update = update});
    parameters.clear_grads();
    const auto loss = cross_entropy(model(context, before, layout), next);
    context.backward(loss.sum);
    adam.step(/*lr=*/3e-3, /*gradient_scale=*/1.0 / static_cast<double>(loss.count));
    loss_per_character = loss.nll_sum / static_cast<double>(loss.count);
    if (update % 50 == 0) std::printf("update %3d  loss %.3f\n", int(update), loss_per_character);
  }
  RandomStream random(2, "sample");
  for (int i = 0; i < 4; ++i) print_sample(model, /*temperature=*/1, random);
  return loss_per_character < 0.2 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
