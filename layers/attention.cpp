#include "layers/attention.h"

#include <cmath>

#include "layers/additive_attention.h"

namespace glossa {

namespace {

/// q W per head, so that attention's q . k becomes q^T W k: q [N, H K], weight [H, K, K] -> [N, H K].
template <class T>
Variable<T> transform_queries(const Variable<T>& q, const Variable<T>& weight) {
  const Index heads = weight.shape()[0], width = weight.shape()[1];
  const Variable<T> per_head = transpose(reshape(q, {q.shape().rows(), heads, width}), 0, 1);
  return reshape(transpose(matmul(per_head, weight), 0, 1), q.shape());
}

}  // namespace

template <class T>
MultiHeadAttention<T>::MultiHeadAttention(ParameterStore<T>& store, const std::string& scope, Kind kind,
                                          const AttentionLayerOptions& o)
    : out_proj_(store, scope + ".out_proj", o.inner_width(), o.width,
                {.bias = o.bias != AttentionBias::none, .weight_init = o.weight_init, .bias_init = init::constant(0)}),
      options_{.heads = o.heads,
               .causal = o.causal,
               .dropout = o.dropout,
               .scale = o.similarity == Similarity::scaled_dot ? 0.0 : 1.0},
      similarity_(o.similarity) {
  check(o.heads >= 1 && o.head_width >= 0 && (o.head_width > 0 || o.width % o.heads == 0), scope,
        "expected heads that divide the width {}; got {}", o.width, o.heads);
  const Index inner = o.inner_width(), head = inner / o.heads;
  Parameter<T>& weight = store.declare(scope + ".in_proj_weight", {3 * inner, o.width}, o.weight_init);
  Parameter<T>* const bias =
      o.bias == AttentionBias::all ? &store.declare(scope + ".in_proj_bias", {3 * inner}, init::constant(0)) : nullptr;
  if (kind == Kind::self) {
    queries_keys_values_ = {&weight, bias};
  } else {
    queries_ = {&store.part(weight, 0, inner), bias ? &store.part(*bias, 0, inner) : nullptr};
    keys_values_ = {&store.part(weight, inner, 3 * inner), bias ? &store.part(*bias, inner, 3 * inner) : nullptr};
  }
  const double deviation = 1 / std::sqrt(static_cast<double>(head));
  if (o.similarity == Similarity::general)
    similarity_parameter_ =
        &store.declare(scope + ".similarity_weight", {o.heads, head, head}, init::diagonal(deviation));
  if (o.similarity == Similarity::additive)
    similarity_parameter_ = &store.declare(scope + ".similarity_vector", {o.heads, head}, init::normal(deviation));
}

template <class T>
Variable<T> MultiHeadAttention<T>::Projection::operator()(const Variable<T>& x) const {
  Context<T>& c = x.context();
  check(weight != nullptr, "attention", "expected the projections of the other kind of attention (self or cross)");
  return bias ? linear(x, c.parameter(*weight), c.parameter(*bias)) : linear(x, c.parameter(*weight));
}

template <class T>
Variable<T> MultiHeadAttention<T>::attend(const Variable<T>& queries, const Variable<T>& keys_values,
                                          const RowLayout& query, const RowLayout& key, const AttentionOptions& options,
                                          const Tensor<T>* mask, Tensor<T>* weights) const {
  if (!similarity_parameter_) return cross_attention(queries, keys_values, query, key, options, mask, weights);
  const Variable<T> trained = queries.context().parameter(*similarity_parameter_);
  if (similarity_ == Similarity::additive)
    return additive_attention(queries, keys_values, trained, query, key, options, mask, weights);
  return cross_attention(transform_queries(queries, trained), keys_values, query, key, options, mask, weights);
}

template <class T>
Variable<T> MultiHeadAttention<T>::operator()(const Variable<T>& x, const RowLayout& layout, const Tensor<T>* mask,
                                              Tensor<T>* weights) const {
  const Variable<T> qkv = project(x);
  if (!similarity_parameter_) return out_proj_(self_attention(qkv, layout, options_, mask, weights));
  const Index inner = qkv.shape().cols() / 3;
  return out_proj_(
      attend(slice(qkv, 1, 0, inner), slice(qkv, 1, inner, 3 * inner), layout, layout, options_, mask, weights));
}

template <class T>
Variable<T> MultiHeadAttention<T>::operator()(const Variable<T>& x, const RowLayout& layout, const Variable<T>& memory,
                                              const RowLayout& memory_layout, const Tensor<T>* mask,
                                              Tensor<T>* weights) const {
  return attend_projected(x, layout, project_memory(memory), memory_layout, mask, weights);
}

template <class T>
Variable<T> MultiHeadAttention<T>::project(const Variable<T>& x) const {
  return queries_keys_values_(x);
}

template <class T>
Variable<T> MultiHeadAttention<T>::project_memory(const Variable<T>& memory) const {
  return keys_values_(memory);
}

template <class T>
Variable<T> MultiHeadAttention<T>::attend_projected(const Variable<T>& x, const RowLayout& layout,
                                                    const Variable<T>& keys_values, const RowLayout& key_layout,
                                                    const Tensor<T>* mask, Tensor<T>* weights) const {
  return out_proj_(attend(queries_(x), keys_values, layout, key_layout, options_, mask, weights));
}

template <class T>
Variable<T> MultiHeadAttention<T>::attend_cached(const Variable<T>& qkv, const RowLayout& layout,
                                                 const Variable<T>& keys_values, const RowLayout& key_layout) const {
  AttentionOptions options = options_;
  options.causal = false;  // the cache ends with the query's own position
  const Variable<T> queries = slice(qkv, 1, 0, qkv.shape().cols() / 3);
  return out_proj_(attend(queries, keys_values, layout, key_layout, options, nullptr, nullptr));
}

template class MultiHeadAttention<float>;
template class MultiHeadAttention<double>;

}  // namespace glossa
