#pragma once

#include <utility>
#include <vector>

#include "base/index.h"

namespace glossa::kernels {

/// A matrix product in a log: C [m, n] = A [m, k] B [k, n]. A transposed factor has this shape after transposing.
struct Product {
  Index m, n, k;
  bool transposed_a = false, transposed_b = false;
  bool per_head = false;  // true: stands for all products of one attention call; same flop in total

  double flop() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  bool operator==(const Product&) const = default;
};

/// Log of the matrix products that one thread starts, for measurements of a step. The thread is the one that creates
/// the ProductLog; logging lasts until the ProductLog is destroyed. Then the thread's previous log resumes.
class ProductLog {
 public:
  ProductLog() : before_(std::exchange(current_, this)) {}
  ~ProductLog() { current_ = before_; }
  ProductLog(const ProductLog&) = delete;
  ProductLog& operator=(const ProductLog&) = delete;

  /// Adds a product to the calling thread's log, if any; called by the kernels.
  static void note(const Product& product) {
    if (current_) current_->products.push_back(product);
  }

  std::vector<Product> products;

 private:
  inline static constinit thread_local ProductLog* current_ = nullptr;
  ProductLog* before_;
};

}  // namespace glossa::kernels
