// The articles' systems and attention's similarities, if they differ from the usual model. Checks their parameters, and
// that all ways to compute them give equal numbers.
#include <cmath>
#include <limits>
#include <map>

#include "layers/cases/article_options.h"
#include "tests/layers/model_fixture.h"

using namespace glossa;
using namespace glossa::test;

namespace {

/// Every article's system, every similarity with and without groups of heads, every kind of norm, the gated activations
/// and relative positions, alone and together, in the fixture's size.
std::map<std::string, TransformerOptions> variants() {
  std::map<std::string, TransformerOptions> all;
  for (int article = 0; article < article_count; ++article) {
    TransformerOptions options = article_options(article);
    options.source_vocabulary = options.target_vocabulary = vocabulary;
    options.max_positions = 16;
    options.stack.weight_init = {};
    all["article " + std::to_string(article)] = options;
  }
  const std::pair<const char*, Similarity> similarities[] = {{"scaled dot", Similarity::scaled_dot},
                                                             {"dot", Similarity::dot},
                                                             {"general", Similarity::general},
                                                             {"additive", Similarity::additive}};
  for (const auto& [name, similarity] : similarities) {
    all[name] = small_options();
    all[name].stack.similarity = similarity;
    all[name].stack.head_width = 6;
    TransformerOptions& grouped = all[name + std::string(", grouped")] = all[name];
    grouped.stack.heads = 4;
    grouped.stack.key_heads = similarity == Similarity::dot ? 1 : 2;
  }
  for (const auto& [name, positions] :
       {std::pair("rotary", RelativePositions::rotary), std::pair("alibi", RelativePositions::alibi)}) {
    all[name] = small_options();
    all[name].stack.relative_positions = positions;
  }
  for (const NormPlace place : {NormPlace::pre, NormPlace::post}) {
    TransformerOptions& options = all[place == NormPlace::pre ? "RMS norm before" : "RMS norm after"] = small_options();
    options.stack.norm = place;
    options.stack.norm_kind = NormKind::rms;
  }
  all["swiglu"] = all["geglu, no dropout"] = small_options();
  all["swiglu"].stack.activation = Activation::swiglu;
  StackOptions& stack = all["geglu, no dropout"].stack;
  stack.activation = Activation::geglu;
  stack.activation_dropout = 0;
  all["alibi, grouped"] = all["alibi"];
  all["all parts"] = all["rotary"];
  for (const char* name : {"alibi, grouped", "all parts"}) {
    all[name].stack.heads = 4;
    all[name].stack.key_heads = 2;
  }
  all["all parts"].stack.norm_kind = NormKind::rms;
  all["all parts"].stack.activation = Activation::swiglu;
  return all;
}

std::map<std::string, std::string> shapes(const TransformerOptions& options) {
  Model<float> model(options);
  std::map<std::string, std::string> result;
  for (const Parameter<float>* parameter : model.store.parameters())
    result[parameter->name] = parameter->value.shape.str();
  return result;
}

}  // namespace

TEST_CASE("variants give the same numbers packed, padded and alone, even with dropout") {
  const OneThread one_thread;
  for (const auto& row : variants()) {
    const auto& name = row.first;
    const auto& options = row.second;
    CAPTURE(name);
    Model<double> model(options);
    const std::vector<int> numbers{3, 8, 5};
    const Outcome<double> together = model.step(Pair(numbers, packed));
    const Outcome<double> boxed = model.step(Pair(numbers, 2));
    for (std::size_t i = 0; i < numbers.size(); ++i) CHECK(distance(boxed.logits[i], together.logits[i]) <= 1e-12);
    // Gradients that a later norm removes again are only rounding: compared absolutely, not relatively.
    for (std::size_t i = 0; i < together.grads.size(); ++i)
      for (std::size_t k = 0; k < together.grads[i].size(); ++k)
        CHECK(boxed.grads[i][k] == doctest::Approx(together.grads[i][k]).epsilon(1e-12));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      CHECK(distance(model.step(Pair({numbers[i]}, packed)).logits[0], together.logits[i]) <= 1e-12);
  }
}

TEST_CASE("variants give the same numbers token by token with a cache as at once") {
  const OneThread one_thread;
  constexpr StepOptions evaluation{.training = false, .recording = false};
  for (const auto& row : variants()) {
    const auto& name = row.first;
    const auto& options = row.second;
    CAPTURE(name);
    Model<double> model(options);
    const Pair batch({3, 8, 5}, packed);
    model.context.begin(evaluation);
    const Tensor<const double> whole = model.logits(batch).value();
    const std::vector<double> expected(whole.data, whole.data + whole.size());
    const RowLayout source = batch.source.layout();
    DecoderCache<double> cache;
    model.context.begin(evaluation);
    model.network.start(cache, model.network.encode(model.context, batch.source.ids, source), source, 3, 7);
    for (Index t = 0; t < 7; ++t) {
      const auto& spans = batch.target.spans;
      std::vector<int> tokens;
      for (const RowSpan& span : spans) tokens.push_back(batch.target.ids[span.offset + std::min(t, span.length - 1)]);
      model.context.begin(evaluation);
      const Tensor<const double> logits = model.network.step(model.context, tokens, cache).value();
      for (Index b = 0; b < 3; ++b) {
        if (t >= spans[b].length) continue;
        const double* const row = expected.data() + (spans[b].offset + t) * vocabulary;
        for (Index j = 0; j < vocabulary; ++j) CHECK(std::abs(logits.row(b)[j] - row[j]) <= 1e-12);
      }
    }
  }
}

TEST_CASE("variants have parameters of the articles' shapes") {
  const auto wide = shapes(article_options(2));
  CHECK(wide.at("encoder.layers.0.self_attn.in_proj_weight") == "[48, 8]");
  CHECK(wide.at("encoder.layers.0.self_attn.out_proj.weight") == "[8, 16]");
  CHECK(wide.at("encoder.layers.0.linear1.weight") == "[8, 8]");
  CHECK(wide.at("encoder.layers.0.norm1.weight") == "[1]");
  CHECK(wide.at("tok_emb.embedding.weight") == "[9, 8]");
  CHECK(wide.at("generator.weight") == "[9, 8]");
  for (const char* absent : {"encoder.layers.0.linear2.weight", "encoder.layers.0.linear1.bias",
                             "encoder.layers.0.norm1.bias", "src_tok_emb.embedding.weight"})
    CHECK_MESSAGE(wide.count(absent) == 0, absent);

  const auto output_bias = shapes(article_options(4));
  CHECK(output_bias.count("decoder.layers.1.multihead_attn.in_proj_bias") == 0);
  CHECK(output_bias.at("decoder.layers.1.multihead_attn.out_proj.bias") == "[8]");
  CHECK(output_bias.at("decoder.norm.bias") == "[1]");

  const auto grouped = shapes(variants().at("scaled dot, grouped"));
  CHECK(grouped.at("encoder.layers.0.self_attn.in_proj_weight") == "[48, 8]");  // 4 heads of 6, twice 2 of keys
  CHECK(grouped.at("decoder.layers.0.multihead_attn.in_proj_bias") == "[48]");
  CHECK(grouped.at("decoder.layers.0.multihead_attn.out_proj.weight") == "[8, 24]");
  const auto rms = shapes(variants().at("RMS norm before"));
  CHECK(rms.at("encoder.layers.0.norm1.weight") == shapes(small_options()).at("encoder.layers.0.norm1.weight"));
  CHECK(rms.at("decoder.norm.weight") == rms.at("encoder.layers.0.norm1.weight"));
  for (const auto& parameter : rms) CHECK_FALSE(parameter.first.ends_with("norm1.bias"));
  CHECK(rms.count("decoder.norm.bias") == 0);

  const auto gated = shapes(variants().at("swiglu"));  // hidden width 16
  CHECK(gated.at("encoder.layers.0.linear1.weight") == "[32, 8]");
  CHECK(gated.at("decoder.layers.1.linear1.bias") == "[32]");
  CHECK(gated.at("encoder.layers.0.linear2.weight") == "[8, 16]");

  TransformerOptions trained = variants().at("general");
  CHECK(shapes(trained).at("decoder.layers.0.self_attn.similarity_weight") == "[2, 6, 6]");
  trained.stack.similarity = Similarity::additive;
  CHECK(shapes(trained).at("decoder.layers.0.multihead_attn.similarity_vector") == "[2, 6]");
  trained = variants().at("additive, grouped");
  CHECK(shapes(trained).at("decoder.layers.0.multihead_attn.similarity_vector") == "[4, 6]");
}

TEST_CASE("groups of heads shrink the cache of decoding") {
  const auto cached = [](Index key_heads) {
    TransformerOptions options = small_options();
    options.stack.heads = 4;
    options.stack.key_heads = key_heads;
    Model<float> model(options);
    const Pair batch({3, 8}, packed);
    const RowLayout source = batch.source.layout();
    DecoderCache<float> cache;
    model.context.begin({.training = false, .recording = false});
    model.network.start(cache, model.network.encode(model.context, batch.source.ids, source), source, 2, 7);
    const LayerCache<float>& layer = cache.layer(0);
    return std::pair(std::ssize(layer.past), std::ssize(layer.memory));
  };
  const auto [past, memory] = cached(0);
  CHECK(cached(4) == std::pair(past, memory));
  CHECK(cached(2) == std::pair(past / 2, memory / 2));
  CHECK(cached(1) == std::pair(past / 4, memory / 4));
}

TEST_CASE("with relative positions there is no table of positions, but the longest sequence is the same") {
  TransformerOptions options = small_options();
  const auto names = shapes(options);
  options.stack.relative_positions = RelativePositions::rotary;
  CHECK(shapes(options) == names);
  options.max_positions = 6;
  Model<double> model(options);
  model.context.begin({});
  const auto encode = [&](Index length) {
    const std::vector<int> ids(static_cast<std::size_t>(length), 3);
    const RowSpan span{0, length};
    model.network.encode(model.context, ids, {.rows = length, .sequences = {&span, 1}});
  };
  CHECK_NOTHROW(encode(6));
  CHECK_THROWS_WITH_AS(
      encode(7),
      doctest::Contains("[embedding] expected sequences of at most 6 tokens; got one of 7. Hint: use more positions"),
      Error);
}

TEST_CASE("self-attention with relative positions sees the distance of tokens only") {
  using enum RelativePositions;
  const OneThread one_thread;
  for (const auto& [positions, key_heads] : {std::pair<RelativePositions, Index>{rotary, 2}, {rotary, 1}, {alibi, 1}}) {
    ParameterStore<double> store;
    const SelfAttention<double> layer(
        store, "layer", {.width = 8, .heads = 2, .key_heads = key_heads, .relative_positions = positions});
    store.allocate(1);
    std::vector<double> numbers(5 * 8);
    RandomStream random(3, "rotary");
    for (double& x : numbers) x = random.normal();
    Context<double> context;
    const auto attend = [&](Index first_position) {
      const RowSpan span{0, 5};
      context.begin({});
      const RowLayout layout{.rows = 5, .sequences = {&span, 1}, .first_position = first_position};
      const Tensor<const double> y = layer(context.constant({numbers.data(), {5, 8}}), layout).value();
      return std::vector<double>(y.data, y.data + y.size());
    };
    const std::vector<double> y = attend(0);
    CHECK(distance(attend(17), y) <= 1e-12);
    std::swap_ranges(numbers.begin(), numbers.begin() + 8, numbers.begin() + 16);
    const std::vector<double> swapped = attend(0), third(swapped.begin() + 16, swapped.begin() + 24);
    CHECK(distance(third, std::vector<double>(y.begin(), y.begin() + 8)) > 1e-3);
  }
}

TEST_CASE("relative positions that do not fit a layer are refused") {
  using enum RelativePositions;
  const auto declare = [](const AttentionLayerOptions& options) {
    ParameterStore<double> store;
    const SelfAttention<double> layer(store, "layer", options);
  };
  CHECK_THROWS_WITH_AS(declare({.width = 6, .heads = 2, .relative_positions = rotary}),
                       "[layer] expected heads of an even width with rotary positions; got 3", Error);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [base, got] : {std::pair{0.0, "0"}, {-1.0, "-1"}, {infinity, "inf"}, {std::nan(""), "nan"}}) {
    AttentionLayerOptions options{.width = 8, .heads = 2, .relative_positions = rotary, .rotary_base = base};
    CHECK_THROWS_WITH_AS(declare(options),
                         fmt::format("[layer] expected a finite rotary_base above 0; got {}", got).c_str(), Error);
    options.relative_positions = alibi;
    CHECK_NOTHROW(declare(options));
  }
  CHECK_THROWS_WITH_AS(
      declare({.width = 8, .heads = 2, .similarity = Similarity::general, .relative_positions = rotary}),
      doctest::Contains("[layer] expected the similarity scaled_dot or dot with rotary positions"), Error);
  CHECK_THROWS_WITH_AS(
      declare({.width = 8, .heads = 2, .similarity = Similarity::additive, .relative_positions = alibi}),
      "[layer] expected a similarity other than additive with the positions alibi; got additive", Error);
  CHECK_NOTHROW(declare({.width = 6, .heads = 2, .similarity = Similarity::general, .relative_positions = alibi}));
  TransformerOptions options = small_options();
  options.learned_positions = true;
  options.stack.relative_positions = rotary;
  CHECK_THROWS_WITH_AS(Model<double>{options}, doctest::Contains("[TransformerOptions::learned_positions]"), Error);
}

TEST_CASE("a general similarity starts as the scaled dot product") {
  const OneThread one_thread;
  TransformerOptions options = small_options();
  Model<double> usual(options);
  options.stack.similarity = Similarity::general;
  Model<double> general(options);
  const Pair batch({3, 8, 5}, packed);
  const Outcome<double> expected = usual.step(batch), got = general.step(batch);
  for (std::size_t i = 0; i < expected.logits.size(); ++i) CHECK(distance(got.logits[i], expected.logits[i]) <= 1e-12);
}

TEST_CASE("weights drawn alike have one distribution for all matrices, and biases are 0") {
  Model<double> model([] {
    TransformerOptions options = article_options(0);
    options.stack.width = 64;
    options.stack.feed_forward = 128;
    return options;
  }());
  double squares = 0;
  Index count = 0;
  for (const Parameter<double>* parameter : model.store.parameters()) {
    CAPTURE(parameter->name);
    if (parameter->name.ends_with("bias"))
      for (const double x : parameter->value.span()) CHECK(x == 0);
    if (parameter->value.shape.rank() < 2) continue;
    for (const double x : parameter->value.span()) squares += x * x;
    count += parameter->value.size();
  }
  CHECK(std::sqrt(squares / static_cast<double>(count)) == doctest::Approx(0.01).epsilon(0.02));
}

TEST_CASE("norms with an unusual affine part or epsilon compute their formulas") {
  std::vector<double> numbers{1, 2, 3, 6, 5, 5, 5, 5};  // mean 3, variance 3.5; then a row without variance
  const auto norm = [&](const NormOptions& options) {
    ParameterStore<double> store;
    const Norm<double> layer(store, "norm", 4, options);
    store.allocate(1);
    for (const Parameter<double>* p : store.parameters()) p->value[0] = p->name == "norm.weight" ? 2 : 10;
    Context<double> context;
    context.begin({});
    const Tensor<const double> y = layer(context.constant({numbers.data(), {2, 4}})).value();
    return std::vector<double>(y.data, y.data + y.size());
  };
  const double inside = std::sqrt(3.5 + 0.5), outside = std::sqrt(3.5) + 0.5;
  constexpr NormKind layer = NormKind::layer, rms = NormKind::rms;
  CHECK(norm({layer, 0.5, NormAffine::none})[3] == doctest::Approx(3 / inside).epsilon(1e-14));
  CHECK(norm({layer, 0.5, NormAffine::none, EpsilonPlace::outside})[3] == doctest::Approx(3 / outside).epsilon(1e-14));
  CHECK(norm({layer, 0.5, NormAffine::gain})[3] == doctest::Approx(2 * 3 / inside).epsilon(1e-14));
  CHECK(norm({layer, 0.5, NormAffine::scalar})[3] == doctest::Approx(2 * 3 / inside + 10).epsilon(1e-14));
  CHECK(norm({layer, 1e-12, NormAffine::none, EpsilonPlace::outside})[5] == 0);
  const double rms_inside = std::sqrt(12.5 + 0.5), rms_outside = std::sqrt(12.5) + 0.5;
  CHECK(norm({rms, 0.5})[0] == doctest::Approx(2 * 1 / rms_inside).epsilon(1e-14));  // the test sets one gain
  CHECK(norm({rms, 0.5, NormAffine::none})[3] == doctest::Approx(6 / rms_inside).epsilon(1e-14));
  CHECK(norm({rms, 0.5, NormAffine::none, EpsilonPlace::outside})[3] ==
        doctest::Approx(6 / rms_outside).epsilon(1e-14));
  for (const NormAffine affine : {NormAffine::gain, NormAffine::scalar})  // no bias
    CHECK(norm({rms, 0.5, affine})[3] == doctest::Approx(2 * 6 / rms_inside).epsilon(1e-14));
  for (const NormAffine affine : {NormAffine::vector, NormAffine::scalar, NormAffine::gain, NormAffine::none}) {
    ParameterStore<double> store;
    const Norm<double> layer(store, "norm", 4, {.affine = affine});
    store.allocate(1);
    Context<double> c;
    c.begin({});
    const Variable<double> narrow = full(c, {2, 3}, 1);
    CHECK_THROWS_WITH_AS(layer(narrow), "[norm] expected x [..., 4]; got [2, 3]", Error);
  }
}

TEST_CASE("attention composed of ops, with the similarity Q K^T / sqrt(d_k), equals attention in one op") {
  constexpr Index n = 3, keys = 4, heads = 2, width = 5, inner = heads * width;
  std::vector<double> numbers((n + 2 * keys) * inner + n * keys);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(1.0 + static_cast<double>(i));
  double* const of_keys = numbers.data() + n * inner;
  double* const of_mask = of_keys + 2 * keys * inner;
  of_mask[2] = of_mask[7] = -INFINITY;
  const RowSpan queries_span{0, n}, keys_span{0, keys};
  const RowLayout query{.rows = n, .sequences = {&queries_span, 1}}, key{.rows = keys, .sequences = {&keys_span, 1}};
  const Tensor<double> mask{of_mask, {n, keys}};
  // The results, the weights by head, and the gradients of queries, keys and values.
  const auto outcome = [&](const auto& attend) {
    Context<double> context;
    context.begin({});
    const Variable<double> q = context.input({numbers.data(), {n, inner}});
    const Variable<double> k = context.input({of_keys, {keys, inner}});
    const Variable<double> v = context.input({of_keys + keys * inner, {keys, inner}});
    std::vector<double> results;
    const auto add_all = [&](const auto& tensor) {
      results.insert(results.end(), tensor.data, tensor.data + tensor.size());
    };
    const Variable<double> y = attend(context, q, k, v, add_all);
    add_all(y.value());
    context.backward(sum(mul(y, y)));
    for (const Variable<double>& x : {q, k, v}) add_all(x.grad());
    return results;
  };
  const auto composed = outcome([&](auto& c, const auto& q, const auto& k, const auto& v, const auto& add_all) {
    const auto similarity = [&](const Variable<double>& Q, const Variable<double>& K) {
      return scale(sum(mul(Q, K), -1), 1 / std::sqrt(static_cast<double>(width)));
    };
    Tensor<const double> weights;
    const Variable<double> y = composed_attention<double>(
        reshape(q, {n, 1, heads, width}), reshape(k, {1, keys, heads, width}), reshape(v, {1, keys, heads, width}),
        similarity, c.constant({of_mask, {n, 1, keys}}), 0, query, &weights);
    add_all(transpose(c.constant(weights), 0, 1).value());
    return reshape(y, {n, inner});
  });
  const auto in_one_op = outcome([&](auto&, const auto& q, const auto& k, const auto& v, const auto& add_all) {
    Tensor<double> weights;
    const Variable<double> y = attention(q, k, v, query, key, {.heads = heads}, &mask, &weights);
    add_all(weights);
    return y;
  });
  CHECK(distance(composed, in_one_op) <= 1e-13);
}

TEST_CASE("additive attention repeats the heads of keys that groups share") {
  Context<double> context;
  context.begin({});
  std::vector<double> numbers(4 * 8);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(1.0 + static_cast<double>(i));
  const RowSpan spans[] = {{0, 1}, {1, 2}};
  const RowLayout rows{.rows = 3, .sequences = spans};
  const auto q = context.constant({numbers.data(), {3, 8}}), vector = context.constant({numbers.data(), {4, 2}});
  const auto kv = context.constant({numbers.data() + 8, {3, 8}});  // two heads of keys, two of values
  const auto head = [&](Index h) { return slice(kv, 1, 2 * h, 2 * h + 2); };
  const auto repeated = concat({head(0), head(0), head(1), head(1), head(2), head(2), head(3), head(3)}, 1);
  const auto grouped = additive_attention(q, kv, vector, rows, rows, {.heads = 4, .key_heads = 2});
  const auto expected = additive_attention(q, repeated, vector, rows, rows, {.heads = 4});
  CHECK(std::ranges::equal(grouped.value().span(), expected.value().span()));
}

TEST_CASE("additive attention refuses mismatched operands and names their shapes") {
  Context<double> context;
  context.begin({});
  std::vector<double> numbers(64);
  const RowSpan span{0, 2};
  const RowLayout rows{.rows = 2, .sequences = {&span, 1}};
  const auto tensor = [&](const Shape& shape) { return context.constant({numbers.data(), shape}); };
  CHECK_NOTHROW(additive_attention(tensor({2, 4}), tensor({2, 8}), tensor({2, 2}), rows, rows, {.heads = 2}));
  CHECK_NOTHROW(
      additive_attention(tensor({2, 4}), tensor({2, 4}), tensor({2, 2}), rows, rows, {.heads = 2, .key_heads = 1}));
  CHECK_THROWS_WITH_AS(
      additive_attention(tensor({2, 4}), tensor({2, 4}), tensor({2, 2}), rows, rows, {.heads = 2, .key_heads = 3}),
      "[additive_attention] expected key_heads that divide the 2 heads, or 0; got 3", Error);
  CHECK_THROWS_WITH_AS(additive_attention(tensor({2, 4}), tensor({2, 4}), tensor({2, 2}), rows, rows, {.heads = 2}),
                       doctest::Contains("[2, 4], [2, 4] and [2, 2]"), Error);
  CHECK_THROWS_AS(additive_attention(tensor({2, 4}), tensor({2, 8}), tensor({2, 2}), rows, {.rows = 2}, {.heads = 2}),
                  Error);
  const auto attend = [&](const RowLayout& query, const RowLayout& key, Index heads, Index key_rows = 2) {
    return additive_attention(tensor({2, 4}), tensor({key_rows, 8}), tensor({2, 2}), query, key, {.heads = heads});
  };
  const RowSpan beyond{1, 2}, before{-1, 2}, nobody{0, 0};
  const RowSpan twice[] = {{0, 1}, {0, 1}}, apart[] = {{0, 1}, {1, 1}};
  for (const RowSpan& wrong : {beyond, before}) {
    CHECK_THROWS_WITH_AS(attend(rows, {.rows = 2, .sequences = {&wrong, 1}}, 2), doctest::Contains("sequence 0"),
                         Error);
    CHECK_THROWS_WITH_AS(attend({.rows = 2, .sequences = {&wrong, 1}}, rows, 2), doctest::Contains("sequence 0"),
                         Error);
  }
  CHECK_THROWS_WITH_AS(attend({.rows = 2, .sequences = twice}, rows, 2), doctest::Contains("sequence 1"), Error);
  CHECK_NOTHROW(attend({.rows = 2, .sequences = apart}, {.rows = 2, .sequences = twice}, 2));
  CHECK_THROWS_WITH_AS(
      additive_attention(tensor({2, 4}), tensor({2, 8}), tensor({2, 2}), rows, rows, {.heads = 2, .alibi = true}),
      doctest::Contains("without alibi"), Error);
  for (const Index heads : {0, -2, 3}) CHECK_THROWS_AS(attend(rows, rows, heads), Error);
  CHECK_THROWS_WITH_AS(attend(rows, rows, 0), doctest::Contains("at least 1 head"), Error);
  const Variable<double> alone = attend(rows, {.rows = 0, .sequences = {&nobody, 1}}, 2, 0);
  CHECK(std::ranges::count(alone.value().span(), 0.0) == 8);
  const Tensor<double> narrow{numbers.data(), {1, 2}};
  CHECK_THROWS_WITH_AS(
      additive_attention(tensor({2, 4}), tensor({2, 8}), tensor({2, 2}), rows, rows, {.heads = 2}, &narrow),
      doctest::Contains("mask"), Error);
}
