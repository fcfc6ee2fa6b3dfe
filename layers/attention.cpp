#include "layers/attention.h"

#include "layers/scope.h"

namespace glossa {

namespace {

template <class T>
Linear<T> declare_in_proj(ParameterStore<T>& store, const std::string& scope, const AttentionLayerOptions& o) {
  const Index rows = o.inner_width() + 2 * o.key_inner_width();
  Parameter<T>& weight = store.declare(in_scope(scope, "in_proj_weight"), {rows, o.width}, o.weight_init);
  weight.is_matrix = true;
  if (o.bias != AttentionBias::all) return {weight, nullptr};
  return {weight, &store.declare(in_scope(scope, "in_proj_bias"), {rows}, init::constant(0))};
}

}  // namespace

template <class T>
SelfAttention<T>::SelfAttention(ParameterStore<T>& store, const std::string& scope, const AttentionLayerOptions& o)
    : in_proj_(declare_in_proj(store, scope, o)), heads_(store, scope, o), causal_(o.causal) {}

template <class T>
Variable<T> SelfAttention<T>::operator()(const Variable<T>& x, const RowLayout& layout, const Tensor<T>* mask,
                                         Tensor<T>* weights) const {
  return heads_(in_proj_(x, heads_.use_of_projections()), layout, causal_, mask, weights);
}

template <class T>
Variable<T> SelfAttention<T>::step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                                   const CacheLayout& layout) const {
  const Variable<T> qkv = in_proj_(x);
  check(!qkv.requires_grad(), "attention.step", "expected a step without recording; got one with it");
  cache.append(own, qkv.value());
  const Variable<T> past = x.context().constant({own.past.data(), {layout.past.rows, 2 * cache.width()}});
  // Needs no causal mask: the past ends with the query's own position.
  return heads_(slice(qkv, 1, 0, qkv.shape().cols() - 2 * cache.width()), past, layout.query, layout.past,
                /*causal=*/false);
}

template <class T>
CrossAttention<T>::CrossAttention(ParameterStore<T>& store, const std::string& scope, const AttentionLayerOptions& o)
    : in_proj_(declare_in_proj(store, scope, o)),
      queries_(in_proj_.part(store, 0, o.inner_width())),
      keys_values_(in_proj_.part(store, o.inner_width(), o.inner_width() + 2 * o.key_inner_width())),
      heads_(store, scope, o),
      causal_(o.causal) {}

template <class T>
Variable<T> CrossAttention<T>::operator()(const Variable<T>& x, const RowLayout& layout, const Variable<T>& memory,
                                          const RowLayout& memory_layout, const Tensor<T>* mask,
                                          Tensor<T>* weights) const {
  return heads_(queries_(x, heads_.use_of_projections()), project_memory(memory), layout, memory_layout, causal_, mask,
                weights);
}

template <class T>
Variable<T> CrossAttention<T>::step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                                    const CacheLayout& layout) const {
  check(!causal_, "attention.step", "expected a layer without a causal mask; got a causal one");
  const Variable<T> memory = x.context().constant({own.memory.data(), {layout.memory.rows, 2 * cache.width()}});
  return heads_(queries_(x), memory, layout.readers, layout.memory, /*causal=*/false);
}

template class SelfAttention<float>;
template class SelfAttention<double>;
template class CrossAttention<float>;
template class CrossAttention<double>;

}  // namespace glossa
