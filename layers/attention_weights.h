#pragma once

#include <vector>

#include "autograd/variable.h"

namespace glossa {

/// Attention weights of the layers of a stack, after softmax and before dropout. Each layer's vector contains one array
/// [H, Tq, Tk] (heads, queries, keys) per sequence, in the order of the sequences.
template <class T>
using LayerWeights = std::vector<std::vector<T>>;

/// All attention weights of a forward pass. Source tokens attend to source tokens in `encoder`, target tokens to target
/// tokens in `decoder`, and target tokens to source tokens in `cross`.
template <class T>
struct AttentionWeights {
  LayerWeights<T> encoder, decoder, cross;
};

/// Calls attend(&weights), appends the weights to `layers`, and returns the result of attend. The weights are copied,
/// because the next step reuses their memory. If `layers` is null, calls attend(nullptr) instead.
template <class T, class Attend>
Variable<T> keeping_weights(LayerWeights<T>* layers, const Attend& attend) {
  if (!layers) return attend(nullptr);
  Tensor<T> weights;
  const Variable<T> y = attend(&weights);
  layers->emplace_back(weights.data, weights.data + weights.size());
  return y;
}

}  // namespace glossa
