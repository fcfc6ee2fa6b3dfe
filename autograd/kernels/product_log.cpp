#include "autograd/kernels/product_log.h"

#include <utility>

namespace glossa::kernels {

namespace {
thread_local ProductLog* current = nullptr;
}

ProductLog::ProductLog() : before_(std::exchange(current, this)) {}
ProductLog::~ProductLog() { current = before_; }

void note_product(const Product& product) {
  if (current) current->products.push_back(product);
}

}  // namespace glossa::kernels
