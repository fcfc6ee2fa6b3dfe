#include "layers/encoder.h"

namespace glossa {

template <class T>
EncoderLayer<T>::EncoderLayer(ParameterStore<T>& store, const std::string& scope, const StackOptions& o)
    : self_attention_(store, in_scope(scope, "self_attn"), o.attention(o.causal)),
      feed_forward_(store, scope, o.position_wise()),
      residual1_(store, in_scope(scope, "norm1"), o),
      residual2_(store, in_scope(scope, "norm2"), o) {}

template <class T>
Variable<T> EncoderLayer<T>::operator()(const Variable<T>& x, const RowLayout& layout, LayerWeights<T>* weights) const {
  // LayerNorm(x + Sublayer(x)), twice.
  const Variable<T> attended = residual1_(x, layout, self_attention_, weights);
  const Variable<T> transformed = residual2_(attended, layout, feed_forward_);
  return transformed;
}

template <class T>
Variable<T> EncoderLayer<T>::step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                                  const CacheLayout& layout) const {
  const auto attend = [&](const auto& h, auto&) { return self_attention_.step(h, cache, own, layout); };
  return residual2_(residual1_(x, layout.query, attend), layout.query, feed_forward_);
}

template class EncoderLayer<float>;
template class EncoderLayer<double>;

}  // namespace glossa
