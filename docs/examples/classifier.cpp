#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "layers/embedding.h"
#include "layers/encoder.h"
#include "optim/adam.h"

using namespace glossa;

constexpr Index tokens = 10, width = 32, longest = 9;

/// Sequences of 4 to 9 tokens, one below the other. The class is 1 if the first token occurs again, else 0.
struct Batch {
  std::vector<int> ids, classes;
  std::vector<RowSpan> sequences;

  Batch(int size, RandomStream& random) {
    for (int i = 0; i < size; ++i) {
      const RowSpan sequence{.offset = std::ssize(ids), .length = static_cast<Index>(4 + random.below(6))};
      for (Index t = 0; t < sequence.length; ++t) ids.push_back(static_cast<int>(random.below(tokens)));
      const auto first = ids.begin() + sequence.offset;
      classes.push_back(std::find(first + 1, ids.end(), *first) != ids.end());
      sequences.push_back(sequence);
    }
  }
  RowLayout layout() const { return {.rows = std::ssize(ids), .sequences = sequences}; }
};

/// An encoder, the mean over each sequence, and a linear layer.
struct Classifier {
  Embedding<float> embedding;
  Encoder<float> encoder;
  Linear<float> output;

  explicit Classifier(ParameterStore<float>& parameters)
      : embedding(parameters.declare("embedding.weight", {tokens, width}, init::normal(1)),
                  PositionalEncoding<float>::sinusoidal(longest, width), {}),
        encoder(parameters, "encoder",
                {.layers = 2, .width = width, .heads = 4, .feed_forward = 64, .norm = NormPlace::pre}),
        output(parameters, "output", width, 2) {}

  /// Logits [B, 2] of the classes.
  Variable<float> operator()(Context<float>& context, const Batch& batch) const {
    const Variable<float> states = encoder(embedding(context, batch.ids, batch.layout()), batch.layout());
    return output(mean_pool(states, batch.layout()));
  }
};

int main() try {
  ParameterStore<float> parameters;
  const Classifier model(parameters);
  parameters.allocate(/*seed=*/1);
  Adam<float> adam(parameters, trainable_segments(parameters));
  Context<float> context;
  RandomStream random(1, "data");
  for (std::uint64_t update = 1; update <= 600; ++update) {
    const Batch batch(64, random);
    context.begin({.training = true, .update = update});
    parameters.clear_grads();
    const auto loss = cross_entropy(model(context, batch), batch.classes);
    context.backward(loss.sum);
    adam.step(/*lr=*/5e-3, /*gradient_scale=*/1.0 / static_cast<double>(loss.count));
    if (update % 150 == 0) std::printf("update %3d  loss %.3f\n", int(update), loss.nll_sum / 64);
  }

  const Batch unseen(1000, random);
  context.begin({.training = false, .recording = false});
  const auto logits = model(context, unseen).value();
  int right = 0;
  for (std::size_t i = 0; i < unseen.classes.size(); ++i)
    right += (logits[2 * i + 1] > logits[2 * i]) == (unseen.classes[i] == 1);
  std::printf("%d of 1000 unseen sequences are classified correctly\n", right);
  return right >= 900 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
