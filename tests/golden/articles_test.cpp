// The five articles (docs/articles.md) compared with NumPy's numbers (see articles.py). Covers whole models, and parts
// that the articles print differently, composed of layers and ops.
#include <doctest/doctest.h>

#include "layers/cases/article_options.h"
#include "tests/golden/golden_case.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

constexpr double limit = 1e-12;
constexpr Index d_model = 8, h = 2, d_ff = 12;

/// One case of one article's file, in double.
struct Part {
  Golden<double> golden;
  GoldenCase<double> one;

  Part(int article, const std::string& name) : golden(fmt::format("articles/article-{}", article)), one(golden, name) {}

  /// An input in a box [B, T, D] as the rows of a padded layout.
  Variable<double> rows(const std::string& name) {
    const Variable<double> box = one.input(name);
    return reshape(box, {box.shape().rows(), box.shape().cols()});
  }

  /// Compares with a golden box [B, T, D] of the same numbers.
  void check(const std::string& name, const Variable<double>& got) {
    const Tensor<double> wanted = golden.tensor(one.path("out/" + name));
    golden.check(one.path("out/" + name), {got.value().data, wanted.shape}, limit);
    REQUIRE_EQ(got.size(), wanted.size());
  }
};

/// `count` sequences of `length` rows.
Sequences same_lengths(int count, int length) { return Sequences(std::vector<int>(count, length)); }

/// Exchanges the first two thirds of a packed projection: queries become keys.
void swap_queries_and_keys(const Parameter<double>& in_proj) {
  double* const first = in_proj.value.data;
  const Index third = in_proj.value.size() / 3;
  std::swap_ranges(first, first + third, first + third);
}

/// Normalizes over all rows at once, without epsilon (article 2).
Variable<double> norm_of_whole(const Variable<double>& x) {
  return reshape(layer_norm(reshape(x, {1, x.size()}), 0), x.shape());
}

}  // namespace

TEST_CASE("each article's model has the same memory, logits and probabilities") {
  for (int article = 0; article < article_count; ++article) {
    CAPTURE(article);
    Part part(article, "system");
    const Transformer<double> model(part.one.store, article_options(article));
    part.one.begin();
    part.one.context.begin({.training = false});
    const Sequences source = part.one.sequences("source_lengths"), target = part.one.sequences("target_lengths");
    const Variable<double> memory = model.encode(part.one.context, part.one.ids("source"), source.layout());
    const Variable<double> logits =
        model.project(model.decode(part.one.context, part.one.ids("target"), target.layout(), memory, source.layout()));
    part.check("memory", memory);
    part.check("logits", logits);
    part.check("probabilities", softmax(logits));
  }
}

TEST_CASE("article 1: attention with an additive mask, each head's weights, their mean, and the block agree") {
  Part part(1, "block");
  ParameterStore<double>& store = part.one.store;
  // The article's first third, called K, meets the second as a query meets keys: glossa's order.
  const SelfAttention<double> attention(store, "layer.self_attn",
                                        {.width = d_model, .heads = h, .bias = AttentionBias::none});
  const FeedForward<double> feed_forward(store, "layer", {.width = d_model, .hidden = d_ff, .bias = false});
  const Residual<double> residual(
      store, "layer.norm",
      {.width = d_model, .norm = NormPlace::post, .norm_affine = NormAffine::none, .residual_dropout = 0});
  part.one.begin();
  const Variable<double> x = part.rows("x");
  const Tensor<double> mask = part.golden.tensor("block/in/mask");
  const Sequences sequences = same_lengths(3, 4);
  const RowLayout layout = sequences.layout();

  Tensor<double> weights;
  const Variable<double> attended = attention(x, layout, &mask, &weights);
  part.check("attended", attended);
  part.golden.check("block/out/weights", {weights.data, {3, h, 4, 4}}, limit);
  const Variable<double> each = part.one.context.constant({weights.data, {3, h, 4, 4}});
  part.check("mean_weights", mean(each, 1));  // what PyTorch returns
  const Variable<double> z = residual(x, layout, [&](const auto& h, auto&) { return attention(h, layout, &mask); });
  part.check("y", residual(z, layout, feed_forward));

  // Time first: [T, B, D]. Rows of a sequence stand together here, so the axes are exchanged before and after.
  const Variable<double> time_first = permute(reshape(x, {3, 4, d_model}), {1, 0, 2});
  const Variable<double> rows = reshape(permute(time_first, {1, 0, 2}), {12, d_model});
  part.check("attended", attention(rows, layout, &mask));
}

TEST_CASE("article 1: products of matrices agree in batches of one and two axes") {
  for (const char* name : {"matmul3", "matmul4"}) {
    Part part(1, name);
    part.one.context.begin({});
    part.check("y", matmul(part.one.input("a"), part.one.input("b")));
  }
}

TEST_CASE("article 2: attention without softmax looks up a dictionary") {
  Context<double> context;
  context.begin({});
  double query[] = {0, 1}, keys[] = {0, 1, 1, 0}, values[] = {0, 0, 1, 1};
  const Variable<double> similarity =
      matmul(context.constant({query, {1, 2}}), context.constant({keys, {2, 2}}), false, true);
  const Variable<double> value = div(matmul(similarity, context.constant({values, {2, 2}})), sum(similarity));
  CHECK_EQ(value.value()[0], 0);  // the article's first example
  CHECK_EQ(value.value()[1], 0);
}

TEST_CASE("article 2: the four similarities agree") {
  const std::pair<const char*, Similarity> similarities[] = {{"dot", Similarity::dot},
                                                             {"scaled_dot", Similarity::scaled_dot},
                                                             {"general", Similarity::general},
                                                             {"additive", Similarity::additive}};
  for (const auto& row : similarities) {
    const auto& name = row.first;
    const auto& similarity = row.second;
    CAPTURE(name);
    Part part(2, fmt::format("similarity_{}", name)), inputs(2, "similarity");
    const CrossAttention<double> layer(
        part.one.store, "layer", {.width = d_model, .heads = h, .similarity = similarity, .bias = AttentionBias::none});
    part.one.begin();
    const auto input = [&](const char* side) {
      const Tensor<double> box = inputs.golden.tensor(inputs.one.path(side));
      return part.one.context.input({box.data, {box.rows(), d_model}});
    };
    const Sequences queries = same_lengths(1, 3), keys = same_lengths(1, 5);
    Tensor<double> weights;
    part.check("y", layer(input("in/x"), queries.layout(), input("in/memory"), keys.layout(), nullptr, &weights));
    part.golden.check(part.one.path("out/weights"), {weights.data, {h, 3, 5}}, limit);
  }
}

TEST_CASE("article 2: encoder and decoder agree as printed, with a norm over all positions and a reversed mask") {
  Part part(2, "printed");
  ParameterStore<double>& store = part.one.store;
  const AttentionLayerOptions options{.width = d_model, .heads = h, .head_width = d_model, .bias = AttentionBias::none};
  const SelfAttention<double> encoder(store, "encoder.self_attn", options);
  const SelfAttention<double> decoder(store, "decoder.self_attn", options);
  const CrossAttention<double> crossing(store, "decoder.multihead_attn", options);
  const FeedForward<double> encoder_matrix(store, "encoder", {.width = d_model, .hidden = 0});
  const FeedForward<double> decoder_matrix(store, "decoder", {.width = d_model, .hidden = 0});
  const Linear<double> generator(store, "generator", d_model, 9, {.bias = false});
  part.one.begin();
  const Variable<double> source = part.one.input("source"), target = part.one.input("target");
  const Sequences sources = same_lengths(1, 4), targets = same_lengths(1, 3);
  const RowLayout s = sources.layout(), t = targets.layout();

  const Variable<double> normed = norm_of_whole(add(encoder(source, s), source));
  const Variable<double> block = norm_of_whole(add(encoder_matrix(normed, s), normed));
  part.check("block", block);

  // Key i is blocked for the queries i, i + 1, ...; the last query has none left. 1e-7 is added to the sum of weights.
  Context<double>& c = part.one.context;
  const Variable<double> qkv = decoder.project(target);
  const auto part_of = [&](Index i) {  // queries, keys or values, [H, T, K]
    return transpose(reshape(slice(qkv, 1, i * h * d_model, (i + 1) * h * d_model), {3, h, d_model}), 0, 1);
  };
  constexpr bool blocked[] = {true, false, false, true, true, false, true, true, true};  // of every head
  const Variable<double> likeness =
      masked_fill(exp(scale(matmul(part_of(0), part_of(1), false, true), 1 / std::sqrt(double(d_model)))),
                  std::span<const bool>(blocked), 0);
  double added = 1e-7;
  const Variable<double> whole = add(sum(likeness, -1, true), c.constant({&added, {1}}));
  const Variable<double> joined = reshape(transpose(div(matmul(likeness, part_of(2)), whole), 0, 1), {3, h * d_model});
  const Variable<double> attended = linear(joined, c.parameter(store.at("decoder.self_attn.out_proj.weight")));

  const Variable<double> first = norm_of_whole(add(attended, target));
  const Variable<double> second = norm_of_whole(add(crossing(first, t, block, s), first));
  const Variable<double> states = norm_of_whole(add(decoder_matrix(second, t), first));  // `first` again, not `second`
  part.check("states", states);
  part.check("probabilities", softmax(generator(slice(states, 0, 2, 3))));
}

namespace {

/// A side of article 3 as printed: one attention and one feed-forward, used for everything.
struct PrintedSide {
  Part part;
  SelfAttention<double> attention;
  FeedForward<double> feed_forward;
  Sequences sequences = same_lengths(2, 4);
  double epsilon = 1e-12;

  explicit PrintedSide(const char* side)
      : part(3, side),
        attention(part.one.store, "layer.self_attn", {.width = d_model, .heads = h, .bias = AttentionBias::none}),
        feed_forward(part.one.store, "layer", {.width = d_model, .hidden = d_ff, .bias = false}) {
    part.one.begin();
    swap_queries_and_keys(part.one.store.at("layer.self_attn.in_proj_weight"));
  }

  Variable<double> attend(const Variable<double>& x, const Tensor<double>* mask = nullptr) const {
    return attention(x, sequences.layout(), mask);
  }

  /// Epsilon is added before and after normalization.
  Variable<double> norm(const Variable<double>& x) {
    const Variable<double> shift = part.one.context.constant({&epsilon, {1}});
    return add(layer_norm(add(x, shift), 0), shift);
  }

  Variable<double> finish(const Variable<double>& residual) {
    return norm(add(residual, feed_forward(residual, sequences.layout())));
  }
};

}  // namespace

TEST_CASE("article 3: encoder and decoder agree as printed, with transposed scores and a spliced decoder") {
  PrintedSide encoder("encoder"), decoder("decoder");
  const Variable<double> source = encoder.part.rows("x"), target = decoder.part.rows("x");
  const Variable<double> encoded = encoder.finish(encoder.norm(add(source, encoder.attend(source))));
  encoder.part.check("y", encoded);

  const Variable<double> memory = decoder.part.one.context.constant(encoded.value());
  const Variable<double> residual = decoder.norm(add(target, decoder.attend(target)));
  const Index quarter = d_model / 4, half = d_model / 2;
  const std::vector<Variable<double>> slices{slice(memory, 1, 0, quarter), slice(memory, 1, half, half + quarter),
                                             slice(residual, 1, 0, half)};
  const Variable<double> spliced = concat<double>(slices, 1);
  decoder.part.check("spliced", spliced);
  const Tensor<double> mask = decoder.part.golden.tensor("decoder/in/mask");
  decoder.part.check("y", decoder.finish(decoder.norm(add(memory, decoder.attend(spliced, &mask)))));
}
