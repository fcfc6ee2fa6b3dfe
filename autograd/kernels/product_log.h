#pragma once

#include <vector>

#include "autograd/shape.h"

namespace glossa::kernels {

/// A logged matrix product: C [m, n] = A [m, k] B [k, n] after their transposes.
struct Product {
  Index m, n, k;
  bool transposed_a = false, transposed_b = false;
  bool per_head = false;  // true: all small products of one attention call, as one product with their total m

  double flop() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  bool operator==(const Product&) const = default;
};

/// While a ProductLog exists, it logs every matrix product started by the thread that created it, for measurements of a
/// step. When the ProductLog is destroyed, the previous log resumes.
class ProductLog {
 public:
  ProductLog();
  ~ProductLog();
  ProductLog(const ProductLog&) = delete;
  ProductLog& operator=(const ProductLog&) = delete;

  std::vector<Product> products;

 private:
  ProductLog* before_;
};

/// Adds a product to the calling thread's log, if any; called by the kernels.
void note_product(const Product& product);

}  // namespace glossa::kernels
