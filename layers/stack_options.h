#pragma once

#include "layers/feed_forward.h"
#include "layers/residual.h"

namespace glossa {

/// What the layers of an encoder or decoder stack have in common.
struct StackOptions {
  Index layers = 6, width = 512, heads = 8, feed_forward = 2048;
  NormPlace norm = NormPlace::post;
  bool final_norm = true;  ///< a norm after the last layer; nn.Transformer always has one, the paper has none
  double norm_epsilon = 1e-5;
  Activation activation = Activation::relu;
  bool bias = true;  ///< of the linear layers; norms always have theirs
  double residual_dropout = 0.1, attention_dropout = 0.1, activation_dropout = 0.1;
};

}  // namespace glossa
