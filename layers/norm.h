#pragma once

#include <string>

#include "autograd/ops.h"
#include "layers/init.h"

namespace glossa {

/// A norm's formula, before gain and bias.
enum class NormKind {
  layer,  ///< (x - mean) / sqrt(variance + epsilon) (Ba et al. 2016)
  rms,    ///< x / sqrt(mean(x^2) + epsilon) (Zhang and Sennrich 2019); never has a bias
};

/// Gain and bias applied to a normalized row.
enum class NormAffine {
  vector,  ///< separate gain and bias per feature, [D] (Ba et al. 2016)
  scalar,  ///< one gain and one bias for all features, [1]
  gain,    ///< one gain for all features, [1]; no bias
  none,    ///< neither gain nor bias
};

/// Position of epsilon, which prevents a division by zero.
enum class EpsilonPlace {
  inside,   ///< (x - mean) / sqrt(variance + epsilon)
  outside,  ///< (x - mean) / (sqrt(variance) + epsilon); x / (sqrt(mean(x^2)) + epsilon)
};

struct NormOptions {
  NormKind kind = NormKind::layer;
  double epsilon = 1e-5;
  NormAffine affine = NormAffine::vector;
  EpsilonPlace epsilon_place = EpsilonPlace::inside;
};

/// Normalization over the last axis: x [..., D] -> [..., D]. Depending on NormAffine, has the parameters SCOPE.weight
/// (gain, starts at 1) and SCOPE.bias (starts at 0; only for NormKind::layer). The usual form (NormAffine::vector,
/// epsilon inside) is one op; the other forms are composed of ops.
template <class T>
class Norm {
 public:
  Norm(ParameterStore<T>& store, const std::string& scope, Index width, const NormOptions& options);

  Variable<T> operator()(const Variable<T>& x, Use use = Use::any) const;

  /// The norm of x + dropout(branch): x [N, D], branch [N, D] -> [N, D]. A vector norm with epsilon inside the root is
  /// one op, others are several.
  Variable<T> add(const Variable<T>& x, const Variable<T>& branch, double dropout, const RowLayout& layout) const;

 private:
  bool usual() const { return options_.affine == NormAffine::vector && options_.epsilon_place == EpsilonPlace::inside; }

  std::string scope_;
  Index width_;
  Parameter<T>*weight_ = nullptr, *bias_ = nullptr;
  NormOptions options_;
};

}  // namespace glossa
