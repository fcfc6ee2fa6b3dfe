#pragma once

#include <utility>

#include "layers/transformer.h"

namespace glossa {

/// Options of a Transformer for tests: two layers per side, one vocabulary, and the same rate for every dropout.
inline TransformerOptions small_transformer(Index vocabulary, double dropout, StackOptions stack,
                                            Index max_positions = 64) {
  stack.residual_dropout = stack.attention_dropout = stack.activation_dropout = dropout;
  return {.source_vocabulary = vocabulary,
          .target_vocabulary = vocabulary,
          .stack = std::move(stack),
          .encoder_layers = 2,
          .decoder_layers = 2,
          .embedding_dropout = dropout,
          .max_positions = max_positions};
}

}  // namespace glossa
