#pragma once

#include <vector>

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

}  // namespace glossa
