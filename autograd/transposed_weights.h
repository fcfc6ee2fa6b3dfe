#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "autograd/tensor.h"

namespace glossa {

/// Cache of transposed weights, [O, I] to [I, O], for matrix products that would otherwise transpose them every time.
/// If the other operand has few rows, as in decoding, transposing takes longer than the product itself. Each transpose
/// is made on first use and valid while the weights do not change. Thread-safe.
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
