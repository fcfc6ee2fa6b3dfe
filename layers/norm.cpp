#include "layers/norm.h"

#include <cmath>

#include "base/check.h"

namespace glossa {

namespace {

/// x / (sqrt(mean(x^2)) + epsilon). Uses the op `norm`, because its derivative is 0 for a row of zeros, such as
/// padding. The derivative of sqrt(mean(x^2)) would be NaN there.
template <class T>
Variable<T> over_rms(const Variable<T>& x, double epsilon) {
  Context<T>& c = x.context();
  const Variable<T> rms = scale(norm(x, -1, true), 1 / std::sqrt(static_cast<double>(x.shape().cols())));
  const Tensor<T> added = c.tensor({1});
  added[0] = static_cast<T>(epsilon);
  return div(x, add(rms, c.constant(added)));
}

/// Normalizes rows without gain and bias.
template <class T>
Variable<T> normalize(const Variable<T>& x, const NormOptions& o) {
  const bool is_rms = o.kind == NormKind::rms;
  if (o.epsilon_place == EpsilonPlace::outside) return over_rms(is_rms ? x : sub(x, mean(x, -1, true)), o.epsilon);
  return is_rms ? rms_norm(x, o.epsilon) : layer_norm(x, o.epsilon);
}

}  // namespace

template <class T>
Norm<T>::Norm(ParameterStore<T>& store, const std::string& scope, Index width, const NormOptions& options)
    : scope_(scope), width_(width), options_(options) {
  const Shape shape{options.affine == NormAffine::vector ? width : 1};
  if (options.affine != NormAffine::none) weight_ = &store.declare(in_scope(scope, "weight"), shape, init::constant(1));
  const bool has_bias = options.affine == NormAffine::vector || options.affine == NormAffine::scalar;
  if (has_bias && options.kind == NormKind::layer)
    bias_ = &store.declare(in_scope(scope, "bias"), shape, init::constant(0));
}

template <class T>
Variable<T> Norm<T>::operator()(const Variable<T>& x, Use use) const {
  check(x.shape().rank() >= 1 && x.shape().cols() == width_, scope_.empty() ? "norm" : scope_.c_str(),
        "expected x [..., {}]; got {}", width_, x.shape());
  Context<T>& c = x.context();
  if (usual())
    return bias_ ? layer_norm(x, c.parameter(*weight_), c.parameter(*bias_), options_.epsilon, use)
                 : rms_norm(x, c.parameter(*weight_), options_.epsilon, use);
  Variable<T> y = normalize(x, options_);
  if (weight_) y = mul(y, c.parameter(*weight_));
  if (bias_) y = glossa::add(y, c.parameter(*bias_));
  return y;
}

template <class T>
Variable<T> Norm<T>::add(const Variable<T>& x, const Variable<T>& branch, double dropout,
                         const RowLayout& layout) const {
  if (!usual()) return (*this)(add_dropout(x, branch, dropout, layout));
  Context<T>& c = x.context();
  const Variable<T> gain = c.parameter(*weight_);
  return bias_ ? add_layer_norm(x, branch, dropout, layout, gain, c.parameter(*bias_), options_.epsilon)
               : add_rms_norm(x, branch, dropout, layout, gain, options_.epsilon);
}

template class Norm<float>;
template class Norm<double>;

}  // namespace glossa
