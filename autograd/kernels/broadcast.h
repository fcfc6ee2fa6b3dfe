#pragma once

#include "autograd/tensor.h"

namespace glossa::kernels {

/// `from` repeated along the axes in which it broadcasts to `to`.
template <class T>
void expand(const Tensor<T>& to, const Tensor<const T>& from);

/// The reverse: to (+)= `from` summed over the axes in which `to` broadcasts to `from`. One thread computes each sum,
/// or each piece of a sum of all elements. The order of additions depends only on the shapes.
template <class T>
void reduce(const Tensor<T>& to, const Tensor<const T>& from, bool add);

/// An operand for an elementwise loop over `shape`: unchanged, or expanded in scratch of `owner`, a Context or a
/// Backward.
template <class T>
Tensor<const T> expanded(auto& owner, const Tensor<const T>& operand, const Shape& shape) {
  if (operand.shape == shape) return operand;
  const Tensor<T> whole = owner.scratch(shape);
  expand(whole, operand);
  return whole;
}

}  // namespace glossa::kernels
