#include <cstdio>
#include <exception>
#include <vector>

#include "autograd/grad_check.h"
#include "layers/encoder.h"

using namespace glossa;

constexpr Index width = 8, heads = 2, hidden = 16, words = 4;

/// One layer of the encoder, the left half of the paper's figure, without dropout.
struct OwnLayer {
  SelfAttention<double> attention;
  Linear<double> linear1, linear2;
  Norm<double> norm1, norm2;

  explicit OwnLayer(ParameterStore<double>& store)
      : attention(store, "layer.self_attn", {.width = width, .heads = heads}),
        linear1(store, "layer.linear1", width, hidden),
        linear2(store, "layer.linear2", hidden, width),
        norm1(store, "layer.norm1", width, {}),
        norm2(store, "layer.norm2", width, {}) {}

  Variable<double> operator()(const Variable<double>& x, const RowLayout& layout) const {
    const Variable<double> h = norm1(add(x, attention(x, layout)));
    return norm2(add(h, linear2(relu(linear1(h)))));
  }
};

int main() try {
  ParameterStore<double> own_store, store;
  const OwnLayer own(own_store);
  StackOptions options{.width = width, .heads = heads, .feed_forward = hidden};
  options.residual_dropout = options.attention_dropout = options.activation_dropout = 0;
  const EncoderLayer<double> glossas(store, "layer", options);
  for (auto* each : {&own_store, &store}) each->allocate(/*seed=*/1);
  std::printf("parameters: %d, in glossa's own layer %d\n", int(own_store.count()), int(store.count()));

  std::vector<double> numbers(words * width);  // the rows of x, one per word
  RandomStream random(1, "x");
  for (double& number : numbers) number = random.normal();
  const Tensor<double> tensor{numbers, {words, width}};
  const RowSpan sentence{.offset = 0, .length = words};
  const RowLayout layout{.rows = words, .sequences = {&sentence, 1}};
  Context<double> context;
  context.begin({.recording = false});
  const Variable<double> x = context.constant(tensor), y = own(x, layout), z = glossas(x, layout);
  std::printf("largest difference between the two: %.6f\n", max(abs(sub(y, z))).value()[0]);
  const Variable<double> first = select(y, 0, 0), spread = sub(first, mean(first));
  std::printf("first row: mean %.3f, variance %.3f\n", mean(first).value()[0], mean(square(spread)).value()[0]);

  const Variable<double> first_last = own(concat({slice(x, 0, 1, words), slice(x, 0, 0, 1)}, 0), layout);
  const Variable<double> moved = sub(select(first_last, 0, words - 1), first);
  std::printf("as the last word, its row differs by %.6f\n", max(abs(moved)).value()[0]);

  const GradCheckResult proof =
      grad_check([&](Context<double>&, std::span<const Variable<double>> in) { return own(in[0], layout); },
                 {&tensor, 1}, own_store);
  std::printf("%d gradients %s\n", int(proof.elements), proof.passes() ? "agree with differences" : "are WRONG");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
