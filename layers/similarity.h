#pragma once

#include <string>

#include "autograd/ops.h"

namespace glossa {

/// Similarity of a query q [K] and a key k [K] of one head.
enum class Similarity {
  scaled_dot,  ///< q . k / sqrt(K) (Vaswani et al. 2017)
  dot,         ///< q . k
  general,     ///< q^T W k, a trained W [K, K] per head (Luong et al. 2015); starts as scaled_dot
  additive,    ///< v . tanh(q + k), a trained v [K] per head (Bahdanau et al. 2015)
};

/// Attention with one of the trained similarities, general or additive, for H heads of width K. Its parameter is
/// SCOPE.similarity_weight [H, K, K] or SCOPE.similarity_vector [H, K].
template <class T>
class TrainedSimilarity {
 public:
  TrainedSimilarity(ParameterStore<T>& store, const std::string& scope, Similarity similarity, Index heads,
                    Index head_width);

  /// As cross_attention in autograd/ops.h: q [Nq, H K], kv [Nk, 2 G K] -> [Nq, H K].
  Variable<T> attend(const Variable<T>& q, const Variable<T>& kv, const RowLayout& query, const RowLayout& key,
                     const AttentionOptions& options, const Tensor<T>* mask, Tensor<T>* weights) const;

 private:
  bool is_additive_;
  Parameter<T>* parameter_;
};

}  // namespace glossa
