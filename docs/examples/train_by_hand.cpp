#include <cstdio>
#include <exception>
#include <vector>

#include "layers/transformer.h"
#include "optim/adam.h"

using namespace glossa;

int main() try {
  ParameterStore<float> parameters;
  TransformerOptions options{.source_vocabulary = 12, .target_vocabulary = 12, .stack = {}};
  options.stack = {.width = 32, .heads = 4, .feed_forward = 64};
  options.encoder_layers = options.decoder_layers = 1;
  const Transformer<float> model(parameters, options);
  parameters.allocate(/*seed=*/1);
  Adam<float> adam(parameters, trainable_segments(parameters));

  // One sequence, ended by </s> = 3, and its "translation", the sequence reversed, which begins with <s> = 2.
  const std::vector<int> source{5, 6, 7, 8, 3}, target_in{2, 8, 7, 6, 5}, target_out{8, 7, 6, 5, 3};
  const RowSpan sequence{.offset = 0, .length = 5};
  const RowLayout layout{.rows = 5, .sequences = {&sequence, 1}};
  Context<float> context;
  double loss_per_token = 0;
  for (std::uint64_t update = 1; update <= 200; ++update) {
    context.begin({.training = true, .seed = 1, .update = update});
    parameters.clear_grads();
    const Variable<float> logits = model(context, source, layout, target_in, layout);
    const CrossEntropy<float> loss = cross_entropy(logits, target_out, /*ignore_index=*/1);
    context.backward(loss.sum);
    adam.step(/*lr=*/1e-3, /*gradient_scale=*/1.0 / static_cast<double>(loss.count));
    loss_per_token = loss.nll_sum / static_cast<double>(loss.count);
    if (update % 50 == 0) std::printf("update %3d  loss %.3f\n", int(update), loss_per_token);
  }
  return loss_per_token < 0.2 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
