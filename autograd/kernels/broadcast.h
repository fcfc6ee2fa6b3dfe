#pragma once

#include "autograd/tensor.h"

namespace glossa::kernels {

/// Fills `to` with `from`, repeated along the axes in which `from` broadcasts to `to`.
template <class T>
void expand(const Tensor<T>& to, const Tensor<const T>& from);

/// The reverse of `expand`: sums `from` over the axes in which `to` broadcasts to `from`. Assigns the sums to `to`, or
/// adds them if `add`. One thread computes each sum; only if `to` has a single element, several threads compute pieces
/// of its sum. The order of additions depends only on the shapes.
template <class T>
void reduce(const Tensor<T>& to, const Tensor<const T>& from, bool add);

/// Returns `operand` for an elementwise loop over `shape`. An operand of another shape is expanded into scratch of
/// `owner`, which is a Context or a Backward.
template <class T>
Tensor<const T> expanded(auto& owner, const Tensor<const T>& operand, const Shape& shape) {
  if (operand.shape == shape) return operand;
  const Tensor<T> whole = owner.scratch(shape);
  expand(whole, operand);
  return whole;
}

}  // namespace glossa::kernels
