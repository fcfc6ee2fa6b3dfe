#include "layers/cases/article_options.h"

#include "layers/cases/small_transformer.h"

namespace glossa {

namespace {

/// Options common to all the articles.
TransformerOptions common() {
  TransformerOptions o = small_transformer(9, 0, {.width = 8, .heads = 2, .feed_forward = 12, .final_norm = false}, 6);
  o.scale_embeddings = o.output_bias = false;
  return o;
}

}  // namespace

TransformerOptions article_options(int article) {
  TransformerOptions o = common();
  StackOptions& stack = o.stack;
  switch (article) {
    case 0:
      stack.norm_epsilon = 1e-6;
      stack.attention_bias = AttentionBias::none;
      stack.weight_init = init::normal(0.01);
      return o;
    case 1:
      stack.norm_affine = NormAffine::none;
      stack.bias = false;
      return o;
    case 2:
      stack.head_width = stack.width;
      stack.feed_forward = 0;
      stack.norm_affine = NormAffine::gain;
      stack.bias = false;
      o.sinusoid = Sinusoid::raw_index;
      o.tied = Tied::embeddings;
      return o;
    case 3:
      stack.feed_forward = 4 * stack.width;
      stack.norm_epsilon = 1e-12;
      stack.norm_affine = NormAffine::none;
      stack.epsilon_place = EpsilonPlace::outside;
      stack.activation = Activation::gelu;
      stack.attention_bias = AttentionBias::none;
      stack.residual_dropout = stack.attention_dropout = 0.1;
      return o;
    case 4:
      stack.final_norm = true;
      stack.norm_epsilon = 1e-6;
      stack.norm_affine = NormAffine::scalar;
      stack.attention_bias = AttentionBias::output;
      stack.residual_dropout = stack.attention_dropout = stack.activation_dropout = o.embedding_dropout = 0.1;
      o.scale_embeddings = true;
      o.output_bias = true;
      return o;
    default:
      fail("article_options", "expected an article from 0 to {}; got {}", article_count - 1, article);
  }
}

}  // namespace glossa
