#include "layers/feed_forward.h"

namespace glossa {

template <class T>
FeedForward<T>::FeedForward(ParameterStore<T>& store, const std::string& scope, const Options& options)
    : linear1_(store, scope + ".linear1", options.width, options.hidden, {.bias = options.bias}),
      linear2_(store, scope + ".linear2", options.hidden, options.width, {.bias = options.bias}),
      activation_(options.activation),
      dropout_(options.dropout) {}

template <class T>
Variable<T> FeedForward<T>::operator()(const Variable<T>& x, const RowLayout& layout) const {
  if (activation_ == Activation::relu) return linear2_(linear1_.relu(x, dropout_, layout));
  return linear2_(dropout(activate(linear1_(x), activation_), dropout_, layout));
}

template <class T>
Variable<T> activate(const Variable<T>& x, Activation activation) {
  switch (activation) {
    case Activation::relu:
      return relu(x);
    case Activation::gelu:
      return gelu(x);
    case Activation::gelu_tanh:
      return gelu_tanh(x);
    case Activation::silu:
      return silu(x);
  }
  fail("activation", "expected a known activation; got number {}", static_cast<int>(activation));
}

template class FeedForward<float>;
template class FeedForward<double>;
template Variable<float> activate(const Variable<float>&, Activation);
template Variable<double> activate(const Variable<double>&, Activation);

}  // namespace glossa
