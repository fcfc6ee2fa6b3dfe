#pragma once

#include <vector>

#include "autograd/variable.h"

namespace glossa {

/// Attention weights of the layers of a stack, after softmax and before dropout: of each layer sequence by sequence
/// [H, Tq, Tk], as glossa::attention gives them.
template <class T>
using LayerWeights = std::vector<std::vector<T>>;

/// What a forward pass of the Transformer looked at: keys are source tokens in `encoder` and `cross`, queries are
/// target tokens in `decoder` and `cross`.
template <class T>
struct AttentionWeights {
  LayerWeights<T> encoder, decoder, cross;
};

/// What `attend`, given where to leave its weights or null, computes. The weights are added to `layers`, if given: they
/// lie in memory of the step, which goes on to others.
template <class T, class Attend>
Variable<T> keeping_weights(LayerWeights<T>* layers, const Attend& attend) {
  if (!layers) return attend(nullptr);
  Tensor<T> weights;
  const Variable<T> y = attend(&weights);
  layers->emplace_back(weights.data, weights.data + weights.size());
  return y;
}

}  // namespace glossa
