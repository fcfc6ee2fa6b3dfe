#include "layers/feed_forward.h"

namespace glossa {

namespace {

/// Width of linear1's result.
Index first_width(const FeedForwardOptions& o) {
  if (o.hidden == 0) return o.width;
  return is_gated(o.activation) ? 2 * o.hidden : o.hidden;
}

LinearOptions linear_options(const FeedForwardOptions& o) {
  LinearOptions linear{.bias = o.bias && o.hidden > 0};
  if (o.weight_init) linear.weight_init = o.weight_init, linear.bias_init = init::constant(0);
  return linear;
}

}  // namespace

template <class T>
FeedForward<T>::FeedForward(ParameterStore<T>& store, const std::string& scope, const FeedForwardOptions& o)
    : linear1_(store, in_scope(scope, "linear1"), o.width, first_width(o), linear_options(o)),
      activation_(o.activation),
      dropout_(o.dropout) {
  if (o.hidden > 0) linear2_.emplace(store, in_scope(scope, "linear2"), o.hidden, o.width, linear_options(o));
}

// FFN(x) = max(0, x W1^T + b1) W2^T + b2 (equation 2), with dropout before W2.
template <class T>
Variable<T> FeedForward<T>::two_layers(const Variable<T>& x, const RowLayout& layout) const {
  const Variable<T> hidden = linear1_.activated(x, activation_, dropout_, layout);  // dropout(relu(linear1(x)))
  return (*linear2_)(hidden);
}

template class FeedForward<float>;
template class FeedForward<double>;

}  // namespace glossa
