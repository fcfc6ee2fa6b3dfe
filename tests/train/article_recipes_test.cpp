// The articles' recipes describe the systems whose values and gradients other tests check, at another size.
#include <doctest/doctest.h>

#include <string>

#include "layers/cases/article_options.h"
#include "train/model/model_factory.h"

using namespace glossa;

namespace {

Config recipe(int article) {
  return load_config(std::string(GLOSSA_SOURCE_DIR "/recipes/article-") + std::to_string(article) + ".yaml");
}

}  // namespace

TEST_CASE("the recipe of each article has the options that are checked") {
  for (int article = 0; article < article_count; ++article) {
    CAPTURE(article);
    const Config config = recipe(article);
    CHECK(option_doubts(config).empty());
    const TransformerOptions got = transformer_options(config.model, 9, 9), wanted = article_options(article);
    const StackOptions &a = got.stack, &b = wanted.stack;
    CHECK(a.similarity == b.similarity);
    CHECK(a.key_heads == b.key_heads);
    CHECK((a.head_width == 0) == (b.head_width == 0));
    CHECK((a.head_width == a.width) == (b.head_width == b.width));
    CHECK((a.feed_forward == 0) == (b.feed_forward == 0));
    CHECK((a.norm == b.norm && a.final_norm == b.final_norm));
    CHECK(a.norm_epsilon == b.norm_epsilon);
    CHECK(a.norm_kind == b.norm_kind);
    CHECK((a.norm_affine == b.norm_affine && a.epsilon_place == b.epsilon_place));
    CHECK(a.activation == b.activation);
    CHECK(a.bias == b.bias);
    CHECK(a.attention(false).bias == b.attention(false).bias);
    CHECK((a.residual_dropout > 0) == (b.residual_dropout > 0));
    CHECK((a.attention_dropout > 0) == (b.attention_dropout > 0));
    CHECK((a.activation_dropout > 0) == (b.activation_dropout > 0));
    CHECK((got.embedding_dropout > 0) == (wanted.embedding_dropout > 0));
    CHECK(static_cast<bool>(a.weight_init) == static_cast<bool>(b.weight_init));
    CHECK(got.learned_positions == wanted.learned_positions);
    CHECK(got.sinusoid == wanted.sinusoid);
    CHECK(got.output_bias == wanted.output_bias);
    const bool has_embeddings = article != 1 && article != 3;  // the others' are added, in the recipe's own way
    CHECK(got.tied == (has_embeddings ? wanted.tied : Tied::output));
    CHECK(got.scale_embeddings == (has_embeddings ? wanted.scale_embeddings : true));
  }
}

TEST_CASE("the recipes of articles 2 and 4 have their settings for tokens and generation") {
  const Config second = recipe(2), fourth = recipe(4);
  CHECK(second.data.specials.bos == 0);
  CHECK(second.decode.sample);
  CHECK((second.decode.max_length_factor == 0 && second.decode.max_length_extra == 20));
  CHECK((fourth.data.specials.pad == 0 && fourth.data.specials.bos == 1 && fourth.data.specials.eos == 2 &&
         fourth.data.specials.unk == -1));
  CHECK(fourth.data.encoding.source_bos);
  CHECK(fourth.decode.beam == 1);
}
