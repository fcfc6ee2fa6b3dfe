#include "layers/encoder.h"

#include "autograd/frame.h"

namespace glossa {

template <class T>
EncoderLayer<T>::EncoderLayer(ParameterStore<T>& store, const std::string& scope, const StackOptions& o)
    : self_attention_(store, scope + ".self_attn", MultiHeadAttention<T>::Kind::self, o.attention(false)),
      feed_forward_(store, scope, o.position_wise()),
      residual1_(store, scope + ".norm1", o.width, o.norm, o.residual_dropout, o.normalisation()),
      residual2_(store, scope + ".norm2", o.width, o.norm, o.residual_dropout, o.normalisation()) {}

template <class T>
Variable<T> EncoderLayer<T>::operator()(const Variable<T>& x, const RowLayout& layout) const {
  const Variable<T> attended = residual1_(x, layout, [&](const auto& h) { return self_attention_(h, layout); });
  return residual2_(attended, layout, [&](const auto& h) { return feed_forward_(h, layout); });
}

template <class T>
Encoder<T>::Encoder(ParameterStore<T>& store, const std::string& scope, const StackOptions& options) {
  for (Index i = 0; i < options.layers; ++i)
    layers_.emplace_back(store, scope + ".layers." + std::to_string(i), options);
  if (options.final_norm) norm_.emplace(store, scope + ".norm", options.width, options.normalisation());
}

template <class T>
Variable<T> Encoder<T>::operator()(Variable<T> x, const RowLayout& layout) const {
  Frame<T> frame(x.context());
  for (const EncoderLayer<T>& layer : layers_) x = frame.keep(layer(x, layout));
  return norm_ ? frame.keep((*norm_)(x)) : x;
}

template class EncoderLayer<float>;
template class EncoderLayer<double>;
template class Encoder<float>;
template class Encoder<double>;

}  // namespace glossa
