#include "layers/linear.h"

#include <cmath>

namespace glossa {

template <class T>
Linear<T>::Linear(ParameterStore<T>& store, const std::string& scope, Index inputs, Index outputs,
                  const LinearOptions& options)
    : weight_(&store.declare(in_scope(scope, "weight"), {outputs, inputs}, options.weight_init)) {
  weight_->is_matrix = true;
  if (!options.bias) return;
  const Initializer otherwise = init::uniform(1 / std::sqrt(static_cast<double>(inputs)));
  bias_ = &store.declare(in_scope(scope, "bias"), {outputs}, options.bias_init ? options.bias_init : otherwise);
}

template <class T>
Linear<T> Linear<T>::part(ParameterStore<T>& store, Index begin, Index end) const {
  return {store.part(*weight_, begin, end), bias_ ? &store.part(*bias_, begin, end) : nullptr};
}

template <class T>
void Linear<T>::check_width(const Shape& x) const {
  const Shape& weight = weight_->value.shape;
  check(x.rank() >= 1 && x.cols() == weight.cols(), weight_->name, "expected x [..., {}] for a weight {}; got {}",
        weight.cols(), weight, x);
}

template <class T>
Variable<T> Linear<T>::operator()(const Variable<T>& x, Use use) const {
  check_width(x.shape());
  Context<T>& c = x.context();
  return linear(x, c.parameter(*weight_), c.optional_parameter(bias_), use);
}

template <class T>
Variable<T> Linear<T>::activated(const Variable<T>& x, Activation activation, double p, const RowLayout& layout) const {
  Context<T>& c = x.context();
  if (activation == Activation::relu) {
    check_width(x.shape());
    const Variable<T> weight = c.parameter(*weight_);
    return linear_relu(x, weight, c.optional_parameter(bias_), p, layout);
  }
  const Use use = p > 0 && c.training() ? Use::any : Use::products;  // dropout reads all numbers
  return dropout(activate((*this)(x), activation, use), p, layout);
}

template class Linear<float>;
template class Linear<double>;

}  // namespace glossa
