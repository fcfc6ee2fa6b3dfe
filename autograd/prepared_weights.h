#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "autograd/kernels/gemm.h"
#include "autograd/parameter.h"

namespace glossa {

/// Cache of parameters [O, I] in the form that products with few rows read: transposed or, for products in bf16,
/// rounded and packed. With few rows, as in decoding, the conversion to this form takes longer than the product itself.
/// A parameter is converted on first use, and again after it has changed. Parameters must outlive the cache, and must
/// not change while a product reads them. Thread-safe.
template <class T>
class PreparedWeights {
 public:
  /// W^T as the right factor of a product.
  kernels::Factor<T> of(const Parameter<T>& weight, Precision precision);

 private:
  struct Form {
    std::uint64_t version = 0;
    std::vector<T> transposed = {};
    std::vector<std::uint32_t> packed = {};
  };

  std::mutex mutex_;
  std::unordered_map<const Parameter<T>*, Form> forms_;
};

}  // namespace glossa
