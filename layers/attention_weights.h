#pragma once

#include <vector>

#include "autograd/rows.h"
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

/// An attention layer as the sub-layer (x, layout) -> attention(x, layout, memory...), without a mask. It appends its
/// weights to `layers` unless null. The weights are copied, because the next step reuses their memory. The result
/// refers to the arguments.
template <class Attention, class T, class... Memory>
auto keeping_weights(const Attention& attention, LayerWeights<T>* layers, const Memory&... memory) {
  return [&, layers](const Variable<T>& x, const RowLayout& layout) {
    if (!layers) return attention(x, layout, memory...);
    Tensor<T> weights;
    const Variable<T> y = attention(x, layout, memory..., /*mask=*/nullptr, &weights);
    layers->emplace_back(weights.data, weights.data + weights.size());
    return y;
  };
}

}  // namespace glossa
