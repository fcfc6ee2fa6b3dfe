#include "layers/attention.h"

namespace glossa {

template <class T>
Variable<T> composed_attention(const Variable<T>& Q, const Variable<T>& K, const Variable<T>& V,
                               const Similarities<T>& similarity, const Variable<T>& mask, double p,
                               const RowLayout& layout, Tensor<const T>* weights) {
  // Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V
  const Index queries = Q.shape()[0], keys = K.shape()[1], heads = K.shape()[2];
  const Variable<T> scores = transpose(similarity(Q, K), 1, 2);  // Q K^T / sqrt(d_k), [N, H, S]
  const Variable<T> attended = softmax(add(scores, mask));       // softmax(...)
  if (weights) *weights = attended.value();
  // Key j and head h have column j * heads + h for any S, so a sequence draws the same dropout mask in any batch.
  const Variable<T> kept = dropout(reshape(transpose(attended, 1, 2), {queries, keys * heads}), p, layout);
  return sum(mul(reshape(kept, {queries, keys, heads, 1}), V), 1);  // softmax(...) V, [N, H, d]
}

/// Computes q W per head, which turns attention's q . k into q^T W k: q [N, H K], weight [H, K, K] -> [N, H K].
template <class T>
static Variable<T> transform_queries(const Variable<T>& q, const Variable<T>& weight) {
  const Index heads = weight.shape()[0], width = weight.shape()[1];
  const Variable<T> per_head = transpose(reshape(q, {q.shape().rows(), heads, width}), 0, 1);
  return reshape(transpose(matmul(per_head, weight), 0, 1), q.shape());
}

// Concat(head_1, ..., head_H); the ops cross_attention and self_attention compute Attention for all heads at once.
template <class T>
Variable<T> AttentionHeads<T>::operator()(const Variable<T>& queries, const Variable<T>& keys_values,
                                          const RowLayout& query, const RowLayout& key, bool causal,
                                          const Tensor<T>* mask, Tensor<T>* weights) const {
  AttentionOptions options = options_;
  options.causal = causal;
  Context<T>& c = queries.context();
  if (vectors_)
    return additive_attention(queries, keys_values, c.parameter(*vectors_), query, key, options, mask, weights);
  const Variable<T> q = matrices_ ? transform_queries(queries, c.parameter(*matrices_)) : queries;
  return cross_attention(q, keys_values, query, key, options, mask, weights);
}

template <class T>
Variable<T> AttentionHeads<T>::operator()(const Variable<T>& qkv, const RowLayout& layout, bool causal,
                                          const Tensor<T>* mask, Tensor<T>* weights) const {
  AttentionOptions options = options_;
  options.causal = causal;
  if (!matrices_ && !vectors_) return self_attention(qkv, layout, options, mask, weights);
  const Index cols = qkv.shape().cols(), inner = cols / (options.heads + 2 * options.groups()) * options.heads;
  return (*this)(slice(qkv, 1, 0, inner), slice(qkv, 1, inner, cols), layout, layout, causal, mask, weights);
}

template <class T>
Variable<T> SelfAttention<T>::project_at(const Variable<T>& x, const RowLayout& layout, Use use) const {
  const Variable<T> qkv = in_proj_(x, use);
  if (!rotary_base_) return qkv;
  return rotary(qkv, layout, head_width_, queries_and_keys_, *rotary_base_, use);
}

template <class T>
Variable<T> SelfAttention<T>::operator()(const Variable<T>& x, const RowLayout& layout, const Tensor<T>* mask,
                                         Tensor<T>* weights) const {
  // MultiHead(x, x, x) = Concat(head_1, ..., head_H) W^O
  const Variable<T> qkv = project_at(x, layout, heads_.use_of_projections());  // x W^Q, x W^K, x W^V
  return out_proj_(heads_(qkv, layout, causal_, mask, weights));
}

template <class T>
Variable<T> CrossAttention<T>::operator()(const Variable<T>& x, const RowLayout& layout, const Variable<T>& memory,
                                          const RowLayout& memory_layout, const Tensor<T>* mask,
                                          Tensor<T>* weights) const {
  // MultiHead(x, memory, memory) = Concat(head_1, ..., head_H) W^O
  const Variable<T> keys_values = project_memory(memory), queries = queries_(x, heads_.use_of_projections());
  return out_proj_(heads_(queries, keys_values, layout, memory_layout, causal_, mask, weights));
}

#define GLOSSA_INSTANTIATE(T)                                                                                   \
  template Variable<T> composed_attention(const Variable<T>&, const Variable<T>&, const Variable<T>&,           \
                                          const Similarities<T>&, const Variable<T>&, double, const RowLayout&, \
                                          Tensor<const T>*);                                                    \
  template class AttentionHeads<T>;                                                                             \
  template class SelfAttention<T>;                                                                              \
  template class CrossAttention<T>;
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
