#include "layers/embedding.h"
#include "layers/encoder.h"
#include "tests/layers/model_fixture.h"

using namespace glossa;
using namespace glossa::test;

namespace {

constexpr Index model_width = 8, longest = 7;

/// A decoder-only language model: embedding, causal stack, output projection.
struct LanguageModel {
  ParameterStore<double> store;
  Embedding<double> embedding;
  Encoder<double> stack;
  Linear<double> output;
  Context<double> context;

  explicit LanguageModel(bool causal = true, Index key_heads = 0)
      : embedding(store.declare("embedding", {vocabulary, model_width}, init::normal(1)),
                  PositionalEncoding<double>::sinusoidal(longest, model_width), {}),
        stack(store, "stack",
              {.layers = 2,
               .width = model_width,
               .heads = 2,
               .key_heads = key_heads,
               .causal = causal,
               .feed_forward = 16}),
        output(store, "output", model_width, vocabulary) {
    store.allocate(1);
    begin();
  }

  void begin() { context.begin({.training = false, .recording = false}); }

  /// [N, V] as numbers.
  std::vector<double> logits(const Side& texts) {
    begin();
    const auto y = output(stack(embedding(context, texts.ids, texts.layout()), texts.layout())).value();
    return {y.data, y.data + y.size()};
  }
};

}  // namespace

TEST_CASE("a causal encoder gives the same token by token as at once, with and without groups of heads") {
  Index key_heads = 0;
  SUBCASE("each head has its keys") {}
  SUBCASE("heads share keys") { key_heads = 1; }
  LanguageModel model(/*causal=*/true, key_heads);
  const Side texts = make_side({3, 8, 5}, 0, packed);
  const std::vector<double> expected = model.logits(texts);
  DecoderCache<double> cache;
  model.stack.start(cache, 3, longest);
  for (Index t = 0; t < longest; ++t) {
    std::vector<int> tokens;
    for (const RowSpan& span : texts.spans) tokens.push_back(texts.ids[span.offset + std::min(t, span.length - 1)]);
    model.begin();
    const auto logits =
        model.output(model.stack.step(model.embedding(model.context, tokens, cache.query_layout()), cache)).value();
    for (Index b = 0; b < 3; ++b) {
      const RowSpan span = texts.spans[static_cast<std::size_t>(b)];
      if (t >= span.length) continue;
      for (Index j = 0; j < vocabulary; ++j)
        CHECK(std::abs(logits.row(b)[j] - expected[(span.offset + t) * vocabulary + j]) <= 1e-12);
    }
  }
  CHECK(cache.position() == longest);
}

TEST_CASE("tokens of a causal encoder do not see later ones; those of the usual encoder do") {
  for (const bool causal : {true, false}) {
    LanguageModel model(causal);
    Side texts = make_side({4}, 0, packed);
    const std::vector<double> before = model.logits(texts);
    texts.ids.back() = 3 + (texts.ids.back() - 2) % (vocabulary - 3);  // a different last token
    const std::vector<double> after = model.logits(texts);
    const auto earlier = static_cast<std::ptrdiff_t>((texts.ids.size() - 1) * vocabulary);
    REQUIRE(earlier > 0);
    CHECK(std::equal(before.begin(), before.begin() + earlier, after.begin()) == causal);
    CHECK(before != after);
  }
}

TEST_CASE("a stack that sees later tokens has no cache") {
  const LanguageModel model(/*causal=*/false);
  DecoderCache<double> cache;
  CHECK_THROWS_WITH_AS(model.stack.start(cache, 1, longest), doctest::Contains("[encoder.start]"), Error);
}
