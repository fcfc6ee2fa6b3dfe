#pragma once

#include <span>

namespace glossa {

/// Euclidean norm of all numbers, summed in double in an order fixed by their count: the same bits at any number of
/// threads. NaN and infinity among them come out, so that the caller can refuse the step.
template <class T>
double global_norm(std::span<const T> grads);

/// What to multiply gradients of this norm by so that it is at most max_norm: min(1, max_norm / (norm + 1e-6)), as
/// PyTorch's clip_grad_norm_ (Pascanu et al. 2013). 1 for max_norm = 0: no clipping; NaN for a norm of NaN.
double clip_factor(double norm, double max_norm);

}  // namespace glossa
