#pragma once

#include <vector>

#include "autograd/variable.h"

namespace glossa {

/// Attention weights of the layers of a stack, after softmax and before dropout. Each layer's vector holds one array
/// [H, Tq, Tk] per sequence, in order of the sequences, as from glossa::attention.
template <class T>
using LayerWeights = std::vector<std::vector<T>>;

/// All attention weights of a forward pass: keys are source tokens in `encoder` and `cross`, queries are target tokens
/// in `decoder` and `cross`.
template <class T>
struct AttentionWeights {
  LayerWeights<T> encoder, decoder, cross;
};

/// Calls attend(&weights) and appends the weights to `layers`, as a copy because the step's memory is reused. Calls
/// attend(nullptr) if `layers` is null.
template <class T, class Attend>
Variable<T> keeping_weights(LayerWeights<T>* layers, const Attend& attend) {
  if (!layers) return attend(nullptr);
  Tensor<T> weights;
  const Variable<T> y = attend(&weights);
  layers->emplace_back(weights.data, weights.data + weights.size());
  return y;
}

}  // namespace glossa
