#include "layers/decoder.h"

#include <algorithm>

#include "autograd/frame.h"

namespace glossa {

template <class T>
DecoderLayer<T>::DecoderLayer(ParameterStore<T>& store, const std::string& scope, const StackOptions& o)
    : self_attention_(store, in_scope(scope, "self_attn"), o.attention(true)),
      cross_attention_(store, in_scope(scope, "multihead_attn"), o.attention(false)),
      feed_forward_(store, scope, o.position_wise()),
      residual1_(store, in_scope(scope, "norm1"), o),
      residual2_(store, in_scope(scope, "norm2"), o),
      residual3_(store, in_scope(scope, "norm3"), o) {}

template <class T>
Variable<T> DecoderLayer<T>::operator()(const Variable<T>& x, const RowLayout& layout, const Variable<T>& memory,
                                        const RowLayout& memory_layout, AttentionWeights<T>* weights) const {
  // LayerNorm(x + Sublayer(x)), three times.
  const Variable<T> self_attended = residual1_(x, layout, self_attention_, weights ? &weights->decoder : nullptr);
  const Variable<T> attended =
      residual2_(self_attended, layout, cross_attention_, weights ? &weights->cross : nullptr, memory, memory_layout);
  const Variable<T> transformed = residual3_(attended, layout, feed_forward_);
  return transformed;
}

template <class T>
Variable<T> DecoderLayer<T>::step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                                  const CacheLayout& layout) const {
  const auto attend_to_past = [&](const auto& h, auto&) { return self_attention_.step(h, cache, own, layout); };
  const auto attend_to_memory = [&](const auto& h, auto&) { return cross_attention_.step(h, cache, own, layout); };
  const Variable<T> attended = residual2_(residual1_(x, layout.query, attend_to_past), layout.query, attend_to_memory);
  return residual3_(attended, layout.query, feed_forward_);
}

template <class T>
void Decoder<T>::start(DecoderCache<T>& cache, const Variable<T>& memory, const RowLayout& memory_layout, Index rows,
                       Index capacity) const {
  check_layout("decoder.start", memory_layout, memory.shape(), /*may_overlap=*/true);
  cache.start(stack_.size(), stack_.key_width(), rows, capacity, memory_layout);
  for (Index i = 0; i < stack_.size(); ++i) {
    const Frame<T> frame(memory.context(), inputs_stay);
    const Tensor<const T> projected = stack_.layer(i).project_memory(memory).value();
    std::copy_n(projected.data, projected.size(), cache.layer(i).memory.data());
  }
}

template class DecoderLayer<float>;
template class DecoderLayer<double>;
template class Decoder<float>;
template class Decoder<double>;

}  // namespace glossa
