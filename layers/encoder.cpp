#include "layers/encoder.h"

#include "autograd/frame.h"
#include "layers/scope.h"

namespace glossa {

template <class T>
EncoderLayer<T>::EncoderLayer(ParameterStore<T>& store, const std::string& scope, const StackOptions& o)
    : self_attention_(store, in_scope(scope, "self_attn"), o.attention(o.causal)),
      feed_forward_(store, scope, o.position_wise()),
      residual1_(store, in_scope(scope, "norm1"), o.width, o.norm, o.residual_dropout, o.normalization()),
      residual2_(store, in_scope(scope, "norm2"), o.width, o.norm, o.residual_dropout, o.normalization()) {}

template <class T>
template <class Attend>
Variable<T> EncoderLayer<T>::apply(const Variable<T>& x, const RowLayout& layout, const Attend& attend) const {
  const Variable<T> attended = residual1_(x, layout, attend);
  return residual2_(attended, layout, [&](const auto& h) { return feed_forward_(h, layout); });
}

template <class T>
Variable<T> EncoderLayer<T>::operator()(const Variable<T>& x, const RowLayout& layout, LayerWeights<T>* weights) const {
  return apply(x, layout, [&](const auto& h) {
    return keeping_weights<T>(weights, [&](Tensor<T>* seen) { return self_attention_(h, layout, nullptr, seen); });
  });
}

template <class T>
Variable<T> EncoderLayer<T>::step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                                  const CacheLayout& layout) const {
  return apply(x, layout.query, [&](const auto& h) { return self_attention_.step(h, cache, own, layout); });
}

template <class T>
Encoder<T>::Encoder(ParameterStore<T>& store, const std::string& scope, const StackOptions& options)
    : causal_(options.causal), width_(options.attention(options.causal).key_inner_width()) {
  for (Index i = 0; i < options.layers; ++i)
    layers_.emplace_back(store, in_scope(scope, "layers." + std::to_string(i)), options);
  if (options.final_norm) norm_.emplace(store, in_scope(scope, "norm"), options.width, options.normalization());
}

template <class T>
Variable<T> Encoder<T>::operator()(Variable<T> x, const RowLayout& layout, LayerWeights<T>* weights) const {
  Frame<T> frame(x.context(), inputs_stay);
  for (const EncoderLayer<T>& layer : layers_) x = frame.keep(layer(x, layout, weights));
  return norm_ ? frame.keep((*norm_)(x)) : x;
}

template <class T>
Variable<T> Encoder<T>::step(Variable<T> x, DecoderCache<T>& cache) const {
  const CacheLayout layout = cache.layout();
  Frame<T> frame(x.context(), inputs_stay);
  for (std::size_t i = 0; i < layers_.size(); ++i)
    x = frame.keep(layers_[i].step(x, cache, cache.layer(static_cast<Index>(i)), layout));
  cache.advance();
  return norm_ ? frame.keep((*norm_)(x)) : x;
}

template class EncoderLayer<float>;
template class EncoderLayer<double>;
template class Encoder<float>;
template class Encoder<double>;

}  // namespace glossa
