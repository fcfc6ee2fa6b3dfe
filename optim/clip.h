#pragma once

#include <span>

namespace glossa {

/// Sum of the squares, in double, in an order fixed by the count: the same bits at any number of threads. Propagates
/// NaN and infinity.
template <class T>
double sum_of_squares(std::span<const T> numbers);

/// The Euclidean norm.
template <class T>
double global_norm(std::span<const T> numbers);

/// Factor that limits gradients of this norm to max_norm: min(1, max_norm / (norm + 1e-6)), as PyTorch's
/// clip_grad_norm_ (Pascanu et al. 2013). 1 for max_norm = 0: no clipping; NaN for a norm of NaN.
double clip_factor(double norm, double max_norm);

}  // namespace glossa
