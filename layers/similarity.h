#pragma once

#include "autograd/ops.h"

namespace glossa {

/// Similarity of a query q [K] and a key k [K] of one head. The trained ones have the parameter SCOPE.similarity_weight
/// [H, K, K] or SCOPE.similarity_vector [H, K].
enum class Similarity {
  scaled_dot,  ///< q . k / sqrt(K) (Vaswani et al. 2017)
  dot,         ///< q . k
  general,     ///< q^T W k, a trained W [K, K] per head (Luong et al. 2015); starts as scaled_dot
  additive,    ///< v . tanh(q + k), a trained v [K] per head (Bahdanau et al. 2015)
};

/// Additive attention (Bahdanau et al. 2015). Head h scores key j for query i as v_h . tanh(q_i + k_j). Queries and
/// keys are already projected; v_h is row h of `vector`, a trained parameter. Shapes: q [Nq, H K], kv [Nk, 2 G K]
/// (keys, then values), vector [H, K] -> [Nq, H K]. Layouts, key_heads, causal, dropout, mask and weights are as for
/// glossa::attention in autograd/ops.h. The scores are multiplied by options.scale; 0 means 1.
///
/// The function is composed of ops. It needs memory for several times Nq * S * H * K numbers, where S is the length of
/// the longest key sequence. Keys are read before masking, so NaN in a blocked key reaches the result, unlike in
/// glossa::attention. Key sequences may share rows, even if the keys need gradients.
template <class T>
Variable<T> additive_attention(const Variable<T>& q, const Variable<T>& kv, const Variable<T>& vector,
                               const RowLayout& query, const RowLayout& key, const AttentionOptions& options,
                               const Tensor<T>* mask = nullptr, Tensor<T>* weights = nullptr);

}  // namespace glossa
