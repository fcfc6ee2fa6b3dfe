#include "layers/similarity.h"

#include <cmath>

#include "layers/additive_attention.h"
#include "layers/init.h"

namespace glossa {

namespace {

/// Computes q W per head, which turns attention's q . k into q^T W k: q [N, H K], weight [H, K, K] -> [N, H K].
template <class T>
Variable<T> transform_queries(const Variable<T>& q, const Variable<T>& weight) {
  const Index heads = weight.shape()[0], width = weight.shape()[1];
  const Variable<T> per_head = transpose(reshape(q, {q.shape().rows(), heads, width}), 0, 1);
  return reshape(transpose(matmul(per_head, weight), 0, 1), q.shape());
}

}  // namespace

template <class T>
TrainedSimilarity<T>::TrainedSimilarity(ParameterStore<T>& store, const std::string& scope, Similarity similarity,
                                        Index heads, Index head_width)
    : is_additive_(similarity == Similarity::additive) {
  const double deviation = 1 / std::sqrt(static_cast<double>(head_width));
  parameter_ = is_additive_
                   ? &store.declare(in_scope(scope, "similarity_vector"), {heads, head_width}, init::normal(deviation))
                   : &store.declare(in_scope(scope, "similarity_weight"), {heads, head_width, head_width},
                                    init::diagonal(deviation));
}

template <class T>
Variable<T> TrainedSimilarity<T>::attend(const Variable<T>& q, const Variable<T>& kv, const RowLayout& query,
                                         const RowLayout& key, const AttentionOptions& options, const Tensor<T>* mask,
                                         Tensor<T>* weights) const {
  const Variable<T> trained = q.context().parameter(*parameter_);
  if (is_additive_) return additive_attention(q, kv, trained, query, key, options, mask, weights);
  return cross_attention(transform_queries(q, trained), kv, query, key, options, mask, weights);
}

template class TrainedSimilarity<float>;
template class TrainedSimilarity<double>;

}  // namespace glossa
