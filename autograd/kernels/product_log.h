#pragma once

#include <vector>

#include "autograd/shape.h"

namespace glossa::kernels {

/// A product of matrices that was done: C [m, n] = A [m, k] B [k, n] after their transposes.
struct Product {
  Index m, n, k;
  bool transposed_a = false, transposed_b = false;
  bool per_head = false;  // stands for the many small products of an attention, summed over m

  double flop() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  bool operator==(const Product&) const = default;
};

/// From now on every product is noted in `log`, until null is given: what a step multiplies, for those who measure.
void log_products(std::vector<Product>* log);

/// For the kernels; called by one thread at a time.
void note_product(const Product& product);

}  // namespace glossa::kernels
