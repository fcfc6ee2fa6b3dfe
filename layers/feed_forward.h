#pragma once

#include <optional>

#include "layers/activation.h"
#include "layers/linear.h"

namespace glossa {

struct FeedForwardOptions {
  Index width, hidden;  ///< hidden 0: a single matrix [D, D], without bias, activation or dropout
  Activation activation = Activation::relu;
  double dropout = 0;
  bool bias = true;
  /// If unset, Linear's defaults apply; otherwise biases start at 0. With a gate, the first weight is a single matrix
  /// [2 F, D].
  Initializer weight_init = {};
};

/// Feed-forward layer: max(0, x W1^T + b1) W2^T + b2 (Vaswani et al. 2017, section 3.3). Another activation may replace
/// max(0, .). Dropout follows the activation. x [N, D] -> [N, D]. Parameters: SCOPE.linear1.*, SCOPE.linear2.*.
///
/// With a gated activation, such as swiglu (Shazeer 2020): (silu(x W^T + b) * (x V^T + c)) W2^T + b2, where * is
/// elementwise. linear1.weight [2 F, D] and linear1.bias [2 F] then hold the gate's W and b above V and c.
/// linear1.weight is initialized as one matrix; Xavier's bound therefore uses the fan-out 2 F.
template <class T>
class FeedForward {
 public:
  FeedForward(ParameterStore<T>& store, const std::string& scope, const FeedForwardOptions& options);

  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout) const {
    return linear2_ ? two_layers(x, layout) : linear1_(x);
  }

 private:
  Variable<T> two_layers(const Variable<T>& x, const RowLayout& layout) const;

  Linear<T> linear1_;
  std::optional<Linear<T>> linear2_;  // not set for a single matrix
  Activation activation_;
  double dropout_;
};

}  // namespace glossa
