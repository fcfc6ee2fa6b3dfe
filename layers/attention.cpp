#include "layers/attention.h"

namespace glossa {

template <class T>
Variable<T> AttentionHeads<T>::operator()(const Variable<T>& queries, const Variable<T>& keys_values,
                                          const RowLayout& query, const RowLayout& key, bool causal,
                                          const Tensor<T>* mask, Tensor<T>* weights) const {
  AttentionOptions options = options_;
  options.causal = causal;
  if (trained_) return trained_->attend(queries, keys_values, query, key, options, mask, weights);
  return cross_attention(queries, keys_values, query, key, options, mask, weights);
}

template <class T>
Variable<T> AttentionHeads<T>::operator()(const Variable<T>& qkv, const RowLayout& layout, bool causal,
                                          const Tensor<T>* mask, Tensor<T>* weights) const {
  AttentionOptions options = options_;
  options.causal = causal;
  if (!trained_) return self_attention(qkv, layout, options, mask, weights);
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
  const Variable<T> qkv = project_at(x, layout, heads_.use_of_projections());
  return out_proj_(heads_(qkv, layout, causal_, mask, weights));  // Concat(head_1, ..., head_H) W^O
}

template <class T>
Variable<T> CrossAttention<T>::operator()(const Variable<T>& x, const RowLayout& layout, const Variable<T>& memory,
                                          const RowLayout& memory_layout, const Tensor<T>* mask,
                                          Tensor<T>* weights) const {
  const Variable<T> keys_values = project_memory(memory), queries = queries_(x, heads_.use_of_projections());
  return out_proj_(heads_(queries, keys_values, layout, memory_layout, causal_, mask, weights));
}

template class AttentionHeads<float>;
template class AttentionHeads<double>;
template class SelfAttention<float>;
template class SelfAttention<double>;
template class CrossAttention<float>;
template class CrossAttention<double>;

}  // namespace glossa
