#pragma once

#include <string>

#include "autograd/ops.h"
#include "layers/init.h"

namespace glossa {

/// Layer normalisation over the last axis with gain and bias (Ba et al. 2016): x [..., D] -> [..., D].
/// Parameters: SCOPE.weight [D] (gain, starts at 1) and SCOPE.bias [D] (starts at 0).
template <class T>
class LayerNorm {
 public:
  LayerNorm(ParameterStore<T>& store, const std::string& scope, Index width, double epsilon);

  Variable<T> operator()(const Variable<T>& x) const;

  /// LayerNorm(x + dropout(branch)) in one pass: x, branch [N, D].
  Variable<T> add(const Variable<T>& x, const Variable<T>& branch, double dropout, const RowLayout& layout) const;

 private:
  Parameter<T>*weight_, *bias_;
  double epsilon_;
};

}  // namespace glossa
