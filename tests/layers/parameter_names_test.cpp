#include <doctest/doctest.h>

#include <map>

#include "tests/layers/model_fixture.h"

using namespace glossa;

namespace {

using Names = std::map<std::string, std::string>;  // name, shape

Names names_in(ParameterStore<float>& store) {
  store.allocate(1);
  Names names;
  for (const Parameter<float>* parameter : store.parameters()) names[parameter->name] = parameter->value.shape.str();
  return names;
}

Names declared(const TransformerOptions& options, const std::string& scope = "") {
  ParameterStore<float> store;
  const Transformer<float> model(store, options, scope);
  return names_in(store);
}

/// state_dict() of torch.nn.Transformer(6, 2, 2, 1, 10), written out from PyTorch's documentation.
Names of_nn_transformer() {
  Names names;
  const auto weight_and_bias = [&](const std::string& scope, const std::string& weight, const std::string& bias) {
    names[scope + ".weight"] = weight;
    names[scope + ".bias"] = bias;
  };
  const auto attention = [&](const std::string& scope) {
    names[scope + ".in_proj_weight"] = "[18, 6]";
    names[scope + ".in_proj_bias"] = "[18]";
    weight_and_bias(scope + ".out_proj", "[6, 6]", "[6]");
  };
  for (const std::string layer : {"encoder.layers.0", "encoder.layers.1", "decoder.layers.0"}) {
    attention(layer + ".self_attn");
    weight_and_bias(layer + ".linear1", "[10, 6]", "[10]");
    weight_and_bias(layer + ".linear2", "[6, 10]", "[6]");
    weight_and_bias(layer + ".norm1", "[6]", "[6]");
    weight_and_bias(layer + ".norm2", "[6]", "[6]");
  }
  attention("decoder.layers.0.multihead_attn");
  weight_and_bias("decoder.layers.0.norm3", "[6]", "[6]");
  weight_and_bias("encoder.norm", "[6]", "[6]");
  weight_and_bias("decoder.norm", "[6]", "[6]");
  return names;
}

TransformerOptions options_like_it() {
  return {.source_vocabulary = 7,
          .target_vocabulary = 9,
          .stack = {.width = 6, .heads = 2, .feed_forward = 10},
          .encoder_layers = 2,
          .decoder_layers = 1};
}

}  // namespace

TEST_CASE("parameters have the names and shapes of nn.Transformer and PyTorch's translation tutorial") {
  Names expected = of_nn_transformer();
  expected["src_tok_emb.embedding.weight"] = "[7, 6]";
  expected["tgt_tok_emb.embedding.weight"] = "[9, 6]";
  expected["generator.weight"] = "[9, 6]";
  expected["generator.bias"] = "[9]";
  CHECK(declared(options_like_it()) == expected);
}

TEST_CASE("without biases, final norms and output bias, only those are missing") {
  TransformerOptions options = options_like_it();
  options.stack.bias = options.stack.final_norm = options.output_bias = false;
  Names expected = declared(options_like_it());
  std::erase_if(expected, [](const auto& entry) {
    const std::string& name = entry.first;
    const bool is_norm = name.find("norm") != std::string::npos;
    return name.starts_with("encoder.norm") || name.starts_with("decoder.norm") || (!is_norm && name.ends_with("bias"));
  });
  CHECK(declared(options) == expected);
}

TEST_CASE("tied tables are one parameter; learned positions are parameters") {
  TransformerOptions options = options_like_it();
  options.tied = Tied::output;
  Names names = declared(options);
  CHECK(names.count("generator.weight") == 0);
  CHECK(names.at("tgt_tok_emb.embedding.weight") == "[9, 6]");
  options.source_vocabulary = 9;
  options.tied = Tied::all;
  options.learned_positions = true;
  options.max_positions = 5;
  names = declared(options);
  CHECK(names.at("tok_emb.embedding.weight") == "[9, 6]");
  CHECK(names.count("src_tok_emb.embedding.weight") == 0);
  CHECK(names.count("tgt_tok_emb.embedding.weight") == 0);
  CHECK(names.at("src_pos_emb.weight") == "[5, 6]");
  CHECK(names.at("tgt_pos_emb.weight") == "[5, 6]");
}

TEST_CASE("a layer that is the whole model has names without a scope") {
  const StackOptions options{.layers = 1, .width = 6, .heads = 2, .feed_forward = 10};
  ParameterStore<float> linear, encoder;
  const Linear<float> matrix(linear, "", 4, 3);
  CHECK(names_in(linear) == Names{{"weight", "[3, 4]"}, {"bias", "[3]"}});
  const Encoder<float> stack(encoder, "", options);
  const Names names = names_in(encoder);
  CHECK(names.at("layers.0.self_attn.in_proj_weight") == "[18, 6]");
  CHECK(names.at("norm.weight") == "[6]");
  ParameterStore<float> other;
  CHECK_THROWS_WITH_AS(SelfAttention<float>(other, "", {.width = 6, .heads = 4}),
                       "[attention] expected heads that divide the width 6; got 4", Error);
  ParameterStore<float> grouped;
  CHECK_THROWS_WITH_AS(SelfAttention<float>(grouped, "", {.width = 8, .heads = 4, .key_heads = 3}),
                       "[attention] expected key_heads that divide the 4 heads, or 0; got 3", Error);
}

TEST_CASE("a scope begins all names of a model") {
  TransformerOptions options = options_like_it();
  options.learned_positions = true;
  Names expected;
  for (const auto& [name, shape] : declared(options)) expected["model." + name] = shape;
  CHECK(declared(options, "model") == expected);
}

TEST_CASE("incompatible options are refused by name") {
  ParameterStore<float> store;
  TransformerOptions options = options_like_it();
  options.tied = Tied::all;
  CHECK_THROWS_WITH_AS(Transformer<float>(store, options), doctest::Contains("[TransformerOptions::tied]"), Error);
  ParameterStore<float> other;
  options = options_like_it();
  options.stack.heads = 4;
  CHECK_THROWS_WITH_AS(Transformer<float>(other, options), doctest::Contains("divide the width 6; got 4"), Error);
  ParameterStore<float> third;
  options = options_like_it();
  options.target_vocabulary = 0;
  CHECK_THROWS_AS(Transformer<float>(third, options), Error);
}
