#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "autograd/tensor.h"

namespace glossa {

/// Transposed weights, [O, I] to [I, O], for products that would otherwise transpose them each time: with few rows, as
/// in decoding, that takes longer than the product itself. Made on first use; valid while the weights do not change.
/// Thread-safe.
template <class T>
class TransposedWeights {
 public:
  /// The transpose of `weight` [O, I], identified by its address.
  const T* of(const Tensor<const T>& weight);

 private:
  std::mutex mutex_;
  std::unordered_map<const T*, std::vector<T>> made_;
};

}  // namespace glossa
