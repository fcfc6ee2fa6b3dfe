#pragma once

#include <optional>

#include "layers/attention.h"
#include "layers/feed_forward.h"
#include "layers/norm.h"

namespace glossa {

/// Position of a sub-layer's norm. Post: Norm(x + Sublayer(x)) (Vaswani et al. 2017). Pre: x + Sublayer(Norm(x)) (Xiong
/// et al. 2020).
enum class NormPlace { pre, post };

/// Options shared by the layers of an encoder or decoder stack.
struct StackOptions {
  Index layers = 6, width = 512, heads = 8;
  Index key_heads = 0;   ///< heads of keys and values; 0 means `heads`
  Index head_width = 0;  ///< width of a head; 0 means width / heads
  Similarity similarity = Similarity::scaled_dot;
  bool causal = false;        ///< true: an encoder's tokens do not see later tokens; decoders are always causal
  Index feed_forward = 2048;  ///< hidden width; 0: a single matrix (see FeedForwardOptions)
  NormPlace norm = NormPlace::post;
  bool final_norm = true;  ///< a norm after the last layer, as in nn.Transformer, but not in Vaswani et al. 2017
  NormKind norm_kind = NormKind::layer;
  double norm_epsilon = 1e-5;
  NormAffine norm_affine = NormAffine::vector;
  EpsilonPlace epsilon_place = EpsilonPlace::inside;
  Activation activation = Activation::relu;
  bool bias = true;                               ///< biases of linear layers; norm_affine sets those of norms
  std::optional<AttentionBias> attention_bias{};  ///< biases in attention; if unset, `bias` selects all or none
  RelativePositions relative_positions = RelativePositions::none;  ///< positions computed by self-attention
  double rotary_base = 10000;
  double residual_dropout = 0.1, attention_dropout = 0.1, activation_dropout = 0.1;
  Initializer weight_init{};  ///< initial values of every matrix; if unset, as in nn.Transformer

  AttentionLayerOptions attention(bool causal) const {
    return {.width = width,
            .heads = heads,
            .key_heads = key_heads,
            .head_width = head_width,
            .similarity = similarity,
            .dropout = attention_dropout,
            .bias = attention_bias.value_or(bias ? AttentionBias::all : AttentionBias::none),
            .causal = causal,
            .relative_positions = relative_positions,
            .rotary_base = rotary_base,
            .weight_init = weight_init ? weight_init : init::xavier_uniform()};
  }

  FeedForwardOptions position_wise() const {
    return {.width = width,
            .hidden = feed_forward,
            .activation = activation,
            .dropout = activation_dropout,
            .bias = bias,
            .weight_init = weight_init};
  }

  NormOptions normalization() const {
    return {.kind = norm_kind, .epsilon = norm_epsilon, .affine = norm_affine, .epsilon_place = epsilon_place};
  }
};

}  // namespace glossa
