#pragma once

#include "layers/linear.h"

namespace glossa {

enum class Activation { relu, gelu, gelu_tanh, silu };

/// max(0, x W1^T + b1) W2^T + b2 (Vaswani et al. 2017, section 3.3), or with another activation between; dropout after
/// the activation. x [N, D] -> [N, D]. Parameters: SCOPE.linear1.*, SCOPE.linear2.*.
template <class T>
class FeedForward {
 public:
  struct Options {
    Index width, hidden;
    Activation activation = Activation::relu;
    double dropout = 0;
    bool bias = true;
  };

  FeedForward(ParameterStore<T>& store, const std::string& scope, const Options& options);

  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout) const;

 private:
  Linear<T> linear1_, linear2_;
  Activation activation_;
  double dropout_;
};

/// The function that `activation` names, element by element.
template <class T>
Variable<T> activate(const Variable<T>& x, Activation activation);

}  // namespace glossa
