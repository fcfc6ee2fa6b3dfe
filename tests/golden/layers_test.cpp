// Layers compared with PyTorch's. Two definitions differ and are not compared: padded queries (glossa has no such
// rows), and queries whose keys are all masked (NaN there, zeros here).
#include <doctest/doctest.h>

#include "layers/decoder.h"
#include "layers/encoder.h"
#include "tests/golden/golden_case.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

template <class T>
void check_attention(const std::string& name, Index key_heads = 0) {
  CAPTURE(name);
  const Golden<T> golden("pytorch/attention");
  GoldenCase<T> one(golden, name);
  const bool has_memory = name == "cross" || name == "one_key_head";
  const AttentionLayerOptions options{
      .width = width, .heads = heads, .key_heads = key_heads, .causal = name == "causal" || name == "grouped"};
  Tensor<T> weights;
  if (has_memory) {
    const CrossAttention<T> layer(one.store, "layer", options);
    one.begin();
    const Variable<T> x = one.input("x"), memory = one.input("memory");
    const Sequences queries = one.sequences("lengths"), keys = one.sequences("memory_lengths");
    one.check_value(layer(x, queries.layout(), memory, keys.layout(), nullptr, &weights));
  } else {
    const SelfAttention<T> layer(one.store, "layer", options);
    one.begin();
    const Variable<T> x = one.input("x");
    const Sequences queries = one.sequences("lengths");
    one.check_value(layer(x, queries.layout(), nullptr, &weights));
  }
  golden.check(one.path("out/weights"), weights);
}

/// Both places of the norm with both activations: `check(name, options)` for each.
template <class Check>
void for_each_kind(const Check& check) {
  for (const auto& [norm, place] : {std::pair("pre", NormPlace::pre), std::pair("post", NormPlace::post)})
    for (const auto& [name, activation] : {std::pair("relu", Activation::relu), std::pair("gelu", Activation::gelu)})
      check(fmt::format("{}_{}", norm, name), golden_options(place, activation).stack);
}

}  // namespace

TEST_CASE_TEMPLATE("attention agrees with nn.MultiheadAttention: self, key padding, causal, cross", T, double, float) {
  for (const char* name : {"self", "key_padding", "causal", "cross"}) check_attention<T>(name);
}

TEST_CASE_TEMPLATE("grouped queries agree with scaled_dot_product_attention: causal, and cross with one key head", T,
                   double, float) {
  check_attention<T>("grouped", 2);
  check_attention<T>("one_key_head", 1);
}

TEST_CASE_TEMPLATE("encoder layers agree with nn.TransformerEncoderLayer: norm first and last, relu and gelu", T,
                   double, float) {
  const Golden<T> golden("pytorch/layers");
  for_each_kind([&](const std::string& kind, const StackOptions& options) {
    CAPTURE(kind);
    GoldenCase<T> one(golden, "encoder_" + kind);
    const EncoderLayer<T> layer(one.store, "layer", options);
    one.begin();
    const Sequences sequences = one.sequences("lengths");
    one.check_value(layer(one.input("x"), sequences.layout()));
  });
}

TEST_CASE_TEMPLATE("decoder layers agree with nn.TransformerDecoderLayer: norm first and last, relu and gelu", T,
                   double, float) {
  const Golden<T> golden("pytorch/layers");
  for_each_kind([&](const std::string& kind, const StackOptions& options) {
    CAPTURE(kind);
    GoldenCase<T> one(golden, "decoder_" + kind);
    const DecoderLayer<T> layer(one.store, "layer", options);
    one.begin();
    const Sequences target = one.sequences("lengths"), source = one.sequences("memory_lengths");
    const Variable<T> x = one.input("x"), memory = one.input("memory");
    one.check_value(layer(x, target.layout(), memory, source.layout()));
  });
}
