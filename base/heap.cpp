#include "base/heap.h"

#include <atomic>

namespace glossa {
namespace {

// Constant-initialized, because allocations happen before this file's constructors run.
constinit std::atomic<std::size_t> own_allocations{0}, library_allocations{0};

}  // namespace

std::size_t heap_allocations() { return own_allocations.load(std::memory_order_relaxed); }
std::size_t library_heap_allocations() { return library_allocations.load(std::memory_order_relaxed); }

void count_heap_allocation(bool by_library) {
  (by_library ? library_allocations : own_allocations).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace glossa
