#include "layers/decoder.h"

#include "autograd/frame.h"
#include "layers/scope.h"

namespace glossa {

template <class T>
DecoderLayer<T>::DecoderLayer(ParameterStore<T>& store, const std::string& scope, const StackOptions& o)
    : self_attention_(store, in_scope(scope, "self_attn"), o.attention(true)),
      cross_attention_(store, in_scope(scope, "multihead_attn"), o.attention(false)),
      feed_forward_(store, scope, o.position_wise()),
      residual1_(store, in_scope(scope, "norm1"), o.width, o.norm, o.residual_dropout, o.normalization()),
      residual2_(store, in_scope(scope, "norm2"), o.width, o.norm, o.residual_dropout, o.normalization()),
      residual3_(store, in_scope(scope, "norm3"), o.width, o.norm, o.residual_dropout, o.normalization()) {}

template <class T>
template <class AttendToPast, class AttendToMemory>
Variable<T> DecoderLayer<T>::apply(const Variable<T>& x, const RowLayout& layout, const AttendToPast& attend_to_past,
                                   const AttendToMemory& attend_to_memory) const {
  const Variable<T> past = residual1_(x, layout, attend_to_past);
  const Variable<T> attended = residual2_(past, layout, attend_to_memory);
  return residual3_(attended, layout, [&](const auto& h) { return feed_forward_(h, layout); });
}

template <class T>
Variable<T> DecoderLayer<T>::operator()(const Variable<T>& x, const RowLayout& layout, const Variable<T>& memory,
                                        const RowLayout& memory_layout, AttentionWeights<T>* weights) const {
  const auto attend_to_past = [&](const auto& h) {
    return keeping_weights<T>(weights ? &weights->decoder : nullptr,
                              [&](Tensor<T>* seen) { return self_attention_(h, layout, nullptr, seen); });
  };
  const auto attend_to_memory = [&](const auto& h) {
    return keeping_weights<T>(weights ? &weights->cross : nullptr, [&](Tensor<T>* seen) {
      return cross_attention_(h, layout, memory, memory_layout, nullptr, seen);
    });
  };
  return apply(x, layout, attend_to_past, attend_to_memory);
}

template <class T>
Variable<T> DecoderLayer<T>::step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                                  const CacheLayout& layout) const {
  return apply(
      x, layout.query, [&](const auto& h) { return self_attention_.step(h, cache, own, layout); },
      [&](const auto& h) { return cross_attention_.step(h, cache, own, layout); });
}

template <class T>
Decoder<T>::Decoder(ParameterStore<T>& store, const std::string& scope, const StackOptions& options)
    : width_(options.attention(true).key_inner_width()) {
  for (Index i = 0; i < options.layers; ++i)
    layers_.emplace_back(store, in_scope(scope, "layers." + std::to_string(i)), options);
  if (options.final_norm) norm_.emplace(store, in_scope(scope, "norm"), options.width, options.normalization());
}

template <class T>
Variable<T> Decoder<T>::operator()(Variable<T> x, const RowLayout& layout, const Variable<T>& memory,
                                   const RowLayout& memory_layout, AttentionWeights<T>* weights) const {
  Frame<T> frame(x.context(), inputs_stay);
  for (const DecoderLayer<T>& layer : layers_) x = frame.keep(layer(x, layout, memory, memory_layout, weights));
  return norm_ ? frame.keep((*norm_)(x)) : x;
}

template <class T>
void Decoder<T>::start(DecoderCache<T>& cache, const Variable<T>& memory, const RowLayout& memory_layout, Index rows,
                       Index capacity) const {
  check_layout("decoder.start", memory_layout, memory.shape(), /*may_overlap=*/true);
  cache.start(static_cast<Index>(layers_.size()), width_, rows, capacity, memory_layout);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Frame<T> frame(memory.context(), inputs_stay);
    const Tensor<const T> projected = layers_[i].project_memory(memory).value();
    std::copy_n(projected.data, projected.size(), cache.layer(static_cast<Index>(i)).memory.data());
  }
}

template <class T>
Variable<T> Decoder<T>::step(Variable<T> x, DecoderCache<T>& cache) const {
  const CacheLayout layout = cache.layout();
  Frame<T> frame(x.context(), inputs_stay);
  for (std::size_t i = 0; i < layers_.size(); ++i)
    x = frame.keep(layers_[i].step(x, cache, cache.layer(static_cast<Index>(i)), layout));
  cache.advance();
  return norm_ ? frame.keep((*norm_)(x)) : x;
}

template class DecoderLayer<float>;
template class DecoderLayer<double>;
template class Decoder<float>;
template class Decoder<double>;

}  // namespace glossa
