#include "layers/encoder.h"

namespace glossa {

template <class T>
EncoderLayer<T>::EncoderLayer(ParameterStore<T>& store, const std::string& scope, const StackOptions& o)
    : self_attention_(store, in_scope(scope, "self_attn"), o.attention(o.causal)),
      feed_forward_(store, scope, o.position_wise()),
      residual1_(store, in_scope(scope, "norm1"), o),
      residual2_(store, in_scope(scope, "norm2"), o) {}

template <class T>
template <class Attend>
Variable<T> EncoderLayer<T>::apply(const Variable<T>& x, const RowLayout& layout, const Attend& attend) const {
  // LayerNorm(x + Sublayer(x)), twice.
  const Variable<T> attended = residual1_(x, layout, attend);
  const Variable<T> transformed = residual2_(attended, layout, feed_forward_);
  return transformed;
}

template <class T>
Variable<T> EncoderLayer<T>::operator()(const Variable<T>& x, const RowLayout& layout, LayerWeights<T>* weights) const {
  return apply(x, layout, keeping_weights(self_attention_, weights));
}

template <class T>
Variable<T> EncoderLayer<T>::step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                                  const CacheLayout& layout) const {
  return apply(x, layout.query, [&](const auto& h, auto&) { return self_attention_.step(h, cache, own, layout); });
}

template class EncoderLayer<float>;
template class EncoderLayer<double>;

}  // namespace glossa
