#include "autograd/measure/heap_counter.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "autograd/library_scope.h"
#include "autograd/sanitizer.h"

namespace glossa {

namespace {

// Constant-initialized, because allocations happen before any constructor of this file.
constinit std::atomic<std::size_t> own_count{0}, library_count{0};

[[maybe_unused]] void count() {
  (LibraryScope::active() ? library_count : own_count).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

std::size_t heap_allocations() { return own_count.load(std::memory_order_relaxed); }
std::size_t library_heap_allocations() { return library_count.load(std::memory_order_relaxed); }

}  // namespace glossa

#if !GLOSSA_SANITIZES(address) && !GLOSSA_SANITIZES(thread)

// The program's malloc takes precedence over glibc's, even in shared libraries. The heap and free remain glibc's.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) {
  glossa::count();
  return __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
  glossa::count();
  return __libc_calloc(count, bytes);
}

void* realloc(void* memory, std::size_t bytes) {
  glossa::count();
  return __libc_realloc(memory, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  glossa::count();
  return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  glossa::count();
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  glossa::count();
  void* memory = __libc_memalign(alignment, bytes);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}
}

#endif
