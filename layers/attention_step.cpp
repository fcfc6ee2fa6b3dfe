#include "layers/attention.h"

namespace glossa {

template <class T>
Variable<T> SelfAttention<T>::step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                                   const CacheLayout& layout) const {
  const Variable<T> qkv = project_at(x, layout.query, Use::any);
  check(!qkv.requires_grad(), "attention.step", "expected a step without recording; got one with it");
  cache.append(own, qkv.value());
  const Variable<T> past = x.context().constant({own.past.data(), {layout.past.rows, 2 * cache.width()}});
  const Variable<T> queries = slice(qkv, 1, 0, qkv.shape().cols() - 2 * cache.width());
  // No causal mask is needed, because the past ends with the query's own position.
  return out_proj_(heads_(queries, past, layout.query, layout.past, /*causal=*/false));
}

template <class T>
Variable<T> CrossAttention<T>::step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                                    const CacheLayout& layout) const {
  check(!causal_, "attention.step", "expected a layer without a causal mask; got a causal one");
  const Variable<T> memory = x.context().constant({own.memory.data(), {layout.memory.rows, 2 * cache.width()}});
  return out_proj_(heads_(queries_(x), memory, layout.readers, layout.memory, /*causal=*/false));
}

#define GLOSSA_INSTANTIATE(Layer, T)                                                                                  \
  template Variable<T> Layer<T>::step(const Variable<T>&, const DecoderCache<T>&, LayerCache<T>&, const CacheLayout&) \
      const;
GLOSSA_INSTANTIATE(SelfAttention, float)
GLOSSA_INSTANTIATE(SelfAttention, double)
GLOSSA_INSTANTIATE(CrossAttention, float)
GLOSSA_INSTANTIATE(CrossAttention, double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
