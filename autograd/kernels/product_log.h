#pragma once

#include <vector>

#include "autograd/shape.h"

namespace glossa::kernels {

/// A completed matrix product: C [m, n] = A [m, k] B [k, n] after their transposes.
struct Product {
  Index m, n, k;
  bool transposed_a = false, transposed_b = false;
  bool per_head = false;  // represents the small products of an attention, summed over m

  double flop() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  bool operator==(const Product&) const = default;
};

/// While it lives, logs every product that its thread starts: a step's multiplications, for measurements. When it ends,
/// the previous log resumes.
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

/// For the kernels.
void note_product(const Product& product);

}  // namespace glossa::kernels
