#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "autograd/tensor.h"

namespace glossa {

/// Weights turned over, [O, I] to [I, O], for products that would otherwise do so each time: with few rows, as in
/// decoding, that takes longer than the product itself. Made when first asked for; valid as long as the weights do not
/// change. For several threads.
template <class T>
class TransposedWeights {
 public:
  /// The transpose of `weight` [O, I], known by the place where it lies.
  const T* of(const Tensor<const T>& weight);

 private:
  std::mutex mutex_;
  std::unordered_map<const T*, std::vector<T>> made_;
};

}  // namespace glossa
