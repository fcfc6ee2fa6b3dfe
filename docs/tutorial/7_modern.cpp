#include <cstdio>
#include <exception>

#include "autograd/grad_check.h"
#include "layers/encoder.h"

using namespace glossa;

/// Chapter 3's layer, with the parts of later papers. Grouped queries and rotary positions are options of attention.
struct ModernLayer {
  SelfAttention<double> attention;
  Linear<double> linear1, linear2;
  Norm<double> norm1, norm2;

  ModernLayer(ParameterStore<double>& store, const StackOptions& o)
      : attention(store, "layer.self_attn", o.attention(/*causal=*/false)),
        linear1(store, "layer.linear1", o.width, 2 * o.feed_forward, {.bias = false}),
        linear2(store, "layer.linear2", o.feed_forward, o.width, {.bias = false}),
        norm1(store, "layer.norm1", o.width, {.kind = NormKind::rms}),
        norm2(store, "layer.norm2", o.width, {.kind = NormKind::rms}) {}

  Variable<double> operator()(const Variable<double>& x, const RowLayout& layout) const {
    const Variable<double> h = add(x, attention(norm1(x), layout));
    return add(h, linear2(swiglu(linear1(norm2(h)))));
  }
};

int main() try {
  StackOptions options{.width = 8, .heads = 2, .key_heads = 1, .feed_forward = 10, .norm = NormPlace::pre};
  options.norm_kind = NormKind::rms, options.activation = Activation::swiglu, options.bias = false;
  options.relative_positions = RelativePositions::rotary;
  options.residual_dropout = options.attention_dropout = options.activation_dropout = 0;
  ParameterStore<double> own_store, store, input;
  const ModernLayer own(own_store, options);
  const EncoderLayer<double> glossas(store, "layer", options);
  const Parameter<double>& words = input.declare("x", {4, 8}, init::normal(1));  // a row for each of four words
  for (auto* each : {&own_store, &store, &input}) each->allocate(/*seed=*/1);
  std::printf("parameters: %d, in glossa's own layer %d\n", int(own_store.count()), int(store.count()));

  const RowSpan sentence{.offset = 0, .length = 4};
  const RowLayout layout{.rows = 4, .sequences = {&sentence, 1}};
  const RowLayout later{.rows = 4, .sequences = {&sentence, 1}, .first_position = 1000};
  Context<double> context;
  context.begin({.recording = false});
  const auto print = [](const char* text, const Variable<double>& a, const Variable<double>& b) {
    std::printf("%s %.6f\n", text, max(abs(sub(a, b))).value()[0]);
  };
  const Variable<double> x = context.constant(words.value), y = own(x, layout);
  print("largest difference between the two:", y, glossas(x, layout));
  print("1000 positions later:", y, own(x, later));
  const Variable<double> first_last = own(concat({slice(x, 0, 1, 4), slice(x, 0, 0, 1)}, 0), layout);
  print("as the last word, its row differs by", select(first_last, 0, 3), select(y, 0, 0));
  const GradCheckResult proof =
      grad_check([&](auto&, auto in) { return own(in[0], layout); }, {&words.value, 1}, own_store);
  std::printf("%d gradients %s\n", int(proof.elements), proof.passes() ? "agree with differences" : "are WRONG");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
