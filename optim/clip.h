#pragma once

#include <cmath>
#include <span>

namespace glossa {

/// Sum of the squares, in double. The order of additions depends only on the number of elements, so any number of
/// threads gives the same bits. Propagates NaN and infinity.
template <class T>
double sum_of_squares(std::span<const T> numbers);

/// The Euclidean norm. For a store's gradients, use Optimizer::grad_norm instead: it skips parameters without a
/// gradient, whose memory holds old numbers.
template <class T>
double global_norm(std::span<const T> numbers) {
  return std::sqrt(sum_of_squares(numbers));
}

/// Factor that limits a gradient of this norm to max_norm: min(1, max_norm / (norm + 1e-6)), as in PyTorch's
/// clip_grad_norm_ (Pascanu et al. 2013). The factor is 1 (no clipping) if max_norm is 0, and NaN if the norm is NaN.
/// Throws a misuse error if max_norm is negative or NaN.
double clip_factor(double norm, double max_norm);

}  // namespace glossa
