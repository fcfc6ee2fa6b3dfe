#pragma once

#include <string>

#include "layers/activation.h"
#include "layers/init.h"

namespace glossa {

struct LinearOptions {
  bool bias = true;
  Initializer weight_init = init::xavier_uniform();
  Initializer bias_init = {};  ///< initial bias; if unset, uniform in +-1/sqrt(I), PyTorch's default
};

/// y = x W^T + b: x [..., I] -> [..., O]. Parameters: SCOPE.weight [O, I] and optionally SCOPE.bias [O]. An error in
/// the shape of x names the weight.
template <class T>
class Linear {
 public:
  Linear(ParameterStore<T>& store, const std::string& scope, Index inputs, Index outputs,
         const LinearOptions& options = {});

  /// Uses parameters that are already declared: weight [O, I], bias [O] or null.
  Linear(Parameter<T>& weight, Parameter<T>* bias) : weight_(&weight), bias_(bias) {}

  /// Returns a layer that computes only outputs [begin, end). Its parameters are parts of this layer's parameters (see
  /// ParameterStore::part).
  Linear part(ParameterStore<T>& store, Index begin, Index end) const;

  Variable<T> operator()(const Variable<T>& x, Use use = Use::any) const;

  /// dropout(activation(x W^T + b)), to be read by products (see Use): x [N, I] -> [N, O] or, if gated, [N, O / 2].
  Variable<T> activated(const Variable<T>& x, Activation activation, double p, const RowLayout& layout) const;

 private:
  void check_width(const Shape& x) const;

  Parameter<T>* weight_;
  Parameter<T>* bias_ = nullptr;
};

}  // namespace glossa
