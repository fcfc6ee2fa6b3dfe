#pragma once

#include <vector>

#include "autograd/shape.h"

namespace glossa::kernels {

/// A completed matrix product: C [m, n] = A [m, k] B [k, n] after their transposes.
struct Product {
  Index m, n, k;
  bool transposed_a = false, transposed_b = false;
  bool per_head = false;  // stands for the small products of one attention call, summed over m

  double flop() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  bool operator==(const Product&) const = default;
};

/// While a ProductLog exists, it logs every matrix product that its thread starts, for measurements of a step. When it
/// is destroyed, the previous log resumes.
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

/// Adds a product to the log; called by the kernels.
void note_product(const Product& product);

}  // namespace glossa::kernels
