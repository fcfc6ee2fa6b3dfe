#pragma once

#include "autograd/tensor.h"

namespace glossa::kernels {

/// `from` repeated along the axes along which its shape broadcasts to that of `to`.
template <class T>
void expand(const Tensor<T>& to, const Tensor<const T>& from);

/// The other way: to (+)= `from` summed over the axes along which `to` broadcasts to it, each sum by one thread (the
/// sum of all elements: each piece of it). The order of a sum is fixed by the shapes.
template <class T>
void reduce(const Tensor<T>& to, const Tensor<const T>& from, bool add);

/// An operand as an elementwise loop over `shape` reads it: itself, or expanded in scratch of `owner`, which is a
/// Context or a Backward.
template <class T>
Tensor<const T> expanded(auto& owner, const Tensor<const T>& operand, const Shape& shape) {
  if (operand.shape == shape) return operand;
  const Tensor<T> whole = owner.scratch(shape);
  expand(whole, operand);
  return whole;
}

}  // namespace glossa::kernels
