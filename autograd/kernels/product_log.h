#pragma once

#include <utility>
#include <vector>

#include "base/index.h"

namespace glossa::kernels {

/// A logged matrix product: C [m, n] = A [m, k] B [k, n]. A transposed factor has this shape after transposing.
struct Product {
  Index m, n, k;
  bool transposed_a = false, transposed_b = false;
  bool per_head = false;  // true: the entry has the total flop of all products of one attention call

  double flop() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  bool operator==(const Product&) const = default;
};

/// Log of matrix products, for measurements of a step. Records the products that its creating thread starts during the
/// log's lifetime. Afterwards, the log that the thread used before continues.
class ProductLog {
 public:
  ProductLog() : before_(std::exchange(current_, this)) {}
  ~ProductLog() { current_ = before_; }
  ProductLog(const ProductLog&) = delete;
  ProductLog& operator=(const ProductLog&) = delete;

  /// Adds a product to the calling thread's log, if any. Kernels call it.
  static void note(const Product& product) {
    if (current_) current_->products.push_back(product);
  }

  std::vector<Product> products;

 private:
  inline static constinit thread_local ProductLog* current_ = nullptr;
  ProductLog* before_;
};

}  // namespace glossa::kernels
