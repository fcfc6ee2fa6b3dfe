#include "layers/attention_heads.h"

#include <cmath>

#include "layers/additive_attention.h"

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
AttentionHeads<T>::AttentionHeads(ParameterStore<T>& store, const std::string& scope, const AttentionLayerOptions& o)
    : out_proj_(store, in_scope(scope, "out_proj"), o.inner_width(), o.width,
                {.bias = o.bias != AttentionBias::none, .weight_init = o.weight_init, .bias_init = init::constant(0)}),
      options_{.heads = o.heads,
               .key_heads = o.key_heads,
               .dropout = o.dropout,
               .scale = o.similarity == Similarity::scaled_dot ? 0.0 : 1.0,
               .alibi = o.relative_positions == RelativePositions::alibi},
      similarity_(o.similarity) {
  check(o.heads >= 1 && o.head_width >= 0 && (o.head_width > 0 || o.width % o.heads == 0),
        scope.empty() ? "attention" : scope, "expected heads that divide the width {}; got {}", o.width, o.heads);
  check(o.key_heads >= 0 && o.heads % options_.groups() == 0, scope.empty() ? "attention" : scope,
        "expected key_heads that divide the {} heads, or 0; got {}", o.heads, o.key_heads);
  const Index head = o.inner_width() / o.heads;
  const double deviation = 1 / std::sqrt(static_cast<double>(head));
  if (o.similarity == Similarity::general)
    similarity_parameter_ =
        &store.declare(in_scope(scope, "similarity_weight"), {o.heads, head, head}, init::diagonal(deviation));
  if (o.similarity == Similarity::additive)
    similarity_parameter_ =
        &store.declare(in_scope(scope, "similarity_vector"), {o.heads, head}, init::normal(deviation));
}

template <class T>
AttentionOptions AttentionHeads<T>::attention_options(bool causal) const {
  AttentionOptions options = options_;
  options.causal = causal;
  return options;
}

template <class T>
Variable<T> AttentionHeads<T>::operator()(const Variable<T>& queries, const Variable<T>& keys_values,
                                          const RowLayout& query, const RowLayout& key, bool causal,
                                          const Tensor<T>* mask, Tensor<T>* weights) const {
  const AttentionOptions options = attention_options(causal);
  if (!similarity_parameter_)
    return out_proj_(cross_attention(queries, keys_values, query, key, options, mask, weights));
  const Variable<T> trained = queries.context().parameter(*similarity_parameter_);
  return out_proj_(
      similarity_ == Similarity::additive
          ? additive_attention(queries, keys_values, trained, query, key, options, mask, weights)
          : cross_attention(transform_queries(queries, trained), keys_values, query, key, options, mask, weights));
}

template <class T>
Variable<T> AttentionHeads<T>::operator()(const Variable<T>& qkv, const RowLayout& layout, bool causal,
                                          const Tensor<T>* mask, Tensor<T>* weights) const {
  if (!similarity_parameter_) return out_proj_(self_attention(qkv, layout, attention_options(causal), mask, weights));
  const Index cols = qkv.shape().cols(), inner = cols / (options_.heads + 2 * options_.groups()) * options_.heads;
  return (*this)(slice(qkv, 1, 0, inner), slice(qkv, 1, inner, cols), layout, layout, causal, mask, weights);
}

template class AttentionHeads<float>;
template class AttentionHeads<double>;

}  // namespace glossa
