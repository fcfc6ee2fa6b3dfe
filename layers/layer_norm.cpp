#include "layers/layer_norm.h"

namespace glossa {

template <class T>
LayerNorm<T>::LayerNorm(ParameterStore<T>& store, const std::string& scope, Index width, double epsilon)
    : weight_(&store.declare(scope + ".weight", {width}, init::constant(1))),
      bias_(&store.declare(scope + ".bias", {width}, init::constant(0))),
      epsilon_(epsilon) {}

template <class T>
Variable<T> LayerNorm<T>::operator()(const Variable<T>& x) const {
  Context<T>& c = x.context();
  return layer_norm(x, c.parameter(*weight_), c.parameter(*bias_), epsilon_);
}

template <class T>
Variable<T> LayerNorm<T>::add(const Variable<T>& x, const Variable<T>& branch, double dropout,
                              const RowLayout& layout) const {
  Context<T>& c = x.context();
  return add_layer_norm(x, branch, dropout, layout, c.parameter(*weight_), c.parameter(*bias_), epsilon_);
}

template class LayerNorm<float>;
template class LayerNorm<double>;

}  // namespace glossa
