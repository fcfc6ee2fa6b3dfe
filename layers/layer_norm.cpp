#include "layers/layer_norm.h"

#include <cmath>

#include "base/check.h"
#include "layers/scope.h"

namespace glossa {

namespace {

/// (x - mean) / (sqrt(variance) + epsilon). The norm of a constant row has derivative 0, whereas sqrt would have none,
/// so padding has no effect.
template <class T>
Variable<T> normalize_outside(const Variable<T>& x, double epsilon) {
  Context<T>& c = x.context();
  const Variable<T> centered = sub(x, mean(x, -1, true));
  const Variable<T> deviation = scale(norm(centered, -1, true), 1 / std::sqrt(static_cast<double>(x.shape().cols())));
  const Tensor<T> added = c.tensor({1});
  added[0] = static_cast<T>(epsilon);
  return div(centered, add(deviation, c.constant(added)));
}

}  // namespace

template <class T>
LayerNorm<T>::LayerNorm(ParameterStore<T>& store, const std::string& scope, Index width, const NormOptions& options)
    : scope_(scope), width_(width), options_(options) {
  const Shape shape{options.affine == NormAffine::vector ? width : 1};
  if (options.affine != NormAffine::none) weight_ = &store.declare(in_scope(scope, "weight"), shape, init::constant(1));
  if (options.affine == NormAffine::vector || options.affine == NormAffine::scalar)
    bias_ = &store.declare(in_scope(scope, "bias"), shape, init::constant(0));
}

template <class T>
Variable<T> LayerNorm<T>::operator()(const Variable<T>& x, Use use) const {
  check(x.shape().rank() >= 1 && x.shape().cols() == width_, scope_.empty() ? "layer_norm" : scope_.c_str(),
        "expected x [..., {}]; got {}", width_, x.shape());
  Context<T>& c = x.context();
  if (usual()) return layer_norm(x, c.parameter(*weight_), c.parameter(*bias_), options_.epsilon, use);
  const bool outside = options_.epsilon_place == EpsilonPlace::outside;
  Variable<T> y = outside ? normalize_outside(x, options_.epsilon) : layer_norm(x, options_.epsilon);
  if (weight_) y = mul(y, c.parameter(*weight_));
  if (bias_) y = glossa::add(y, c.parameter(*bias_));
  return y;
}

template <class T>
Variable<T> LayerNorm<T>::add(const Variable<T>& x, const Variable<T>& branch, double dropout,
                              const RowLayout& layout) const {
  if (!usual()) return (*this)(add_dropout(x, branch, dropout, layout));
  Context<T>& c = x.context();
  return add_layer_norm(x, branch, dropout, layout, c.parameter(*weight_), c.parameter(*bias_), options_.epsilon);
}

template class LayerNorm<float>;
template class LayerNorm<double>;

}  // namespace glossa
