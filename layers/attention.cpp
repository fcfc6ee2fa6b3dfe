#include "layers/attention.h"

namespace glossa {

template <class T>
MultiHeadAttention<T>::MultiHeadAttention(ParameterStore<T>& store, const std::string& scope, Kind kind,
                                          const Options& options)
    : out_proj_(store, scope + ".out_proj", options.width, options.width,
                {.bias = options.bias, .bias_init = init::constant(0)}),
      options_{.heads = options.heads, .causal = options.causal, .dropout = options.dropout} {
  const Index d = options.width;
  check(options.heads >= 1 && d % options.heads == 0, scope, "expected heads that divide the width {}; got {}", d,
        options.heads);
  Parameter<T>& weight = store.declare(scope + ".in_proj_weight", {3 * d, d}, init::xavier_uniform());
  Parameter<T>* bias = options.bias ? &store.declare(scope + ".in_proj_bias", {3 * d}, init::constant(0)) : nullptr;
  if (kind == Kind::self) {
    queries_keys_values_ = {&weight, bias};
    return;
  }
  queries_ = {&store.part(weight, 0, d), bias ? &store.part(*bias, 0, d) : nullptr};
  keys_values_ = {&store.part(weight, d, 3 * d), bias ? &store.part(*bias, d, 3 * d) : nullptr};
}

template <class T>
Variable<T> MultiHeadAttention<T>::Projection::operator()(const Variable<T>& x) const {
  Context<T>& c = x.context();
  check(weight != nullptr, "attention", "expected the projections of the other kind of attention (self or cross)");
  return bias ? linear(x, c.parameter(*weight), c.parameter(*bias)) : linear(x, c.parameter(*weight));
}

template <class T>
Variable<T> MultiHeadAttention<T>::operator()(const Variable<T>& x, const RowLayout& layout, const Tensor<T>* mask,
                                              Tensor<T>* weights) const {
  return out_proj_(self_attention(project(x), layout, options_, mask, weights));
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
  return out_proj_(cross_attention(queries_(x), keys_values, layout, key_layout, options_, mask, weights));
}

template <class T>
Variable<T> MultiHeadAttention<T>::attend_cached(const Variable<T>& queries, const RowLayout& layout,
                                                 const Variable<T>& keys_values, const RowLayout& key_layout) const {
  AttentionOptions options = options_;
  options.causal = false;  // the cache ends with the query's own position
  return out_proj_(cross_attention(queries, keys_values, layout, key_layout, options));
}

template class MultiHeadAttention<float>;
template class MultiHeadAttention<double>;

}  // namespace glossa
