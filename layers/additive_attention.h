#pragma once

#include "autograd/ops.h"

namespace glossa {

/// Additive attention (Bahdanau et al. 2015): head h gives the key j the score v_h . tanh(q_i + k_j) for query i, where
/// q and k are projected already and v is trained. q [Nq, H K], kv [Nk, 2 H K] (keys, then values), vector [H, K] ->
/// [Nq, H K]. Layouts, causal, dropout, mask and weights as for glossa::attention; options.scale is a factor of the
/// scores, 0 is 1.
///
/// Composed of ops: it needs memory for Nq * S * H * K numbers several times, S the longest sequence of keys. Keys are
/// read before the mask acts, so NaN there does leak, unlike in glossa::attention; sequences may share keys, gradients
/// and all.
template <class T>
Variable<T> additive_attention(const Variable<T>& q, const Variable<T>& kv, const Variable<T>& vector,
                               const RowLayout& query, const RowLayout& key, const AttentionOptions& options,
                               const Tensor<T>* mask = nullptr, Tensor<T>* weights = nullptr);

}  // namespace glossa
