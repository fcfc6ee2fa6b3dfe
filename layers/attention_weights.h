#pragma once

#include <vector>

#include "autograd/variable.h"

namespace glossa {

/// Attention weights of the layers of a stack, after softmax and before dropout. Each layer's vector contains one array
/// [H, Tq, Tk] (heads, queries, keys) per sequence, in the order of the sequences.
template <class T>
using LayerWeights = std::vector<std::vector<T>>;

/// All attention weights of a forward pass. In `encoder`, source tokens attend to source tokens; in `decoder`, target
/// tokens to target tokens; in `cross`, target tokens to source tokens.
template <class T>
struct AttentionWeights {
  LayerWeights<T> encoder, decoder, cross;
};

/// Returns attention(inputs...), a layer's result without a mask. Appends its weights to `layers` unless null. The
/// weights are copied, because the next step reuses their memory.
template <class Attention, class T, class... Inputs>
Variable<T> attend(const Attention& attention, LayerWeights<T>* layers, const Inputs&... inputs) {
  if (!layers) return attention(inputs...);
  Tensor<T> weights;
  const Variable<T> y = attention(inputs..., /*mask=*/nullptr, &weights);
  layers->emplace_back(weights.data, weights.data + weights.size());
  return y;
}

}  // namespace glossa
