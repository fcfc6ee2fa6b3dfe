// A malloc that counts its calls (base/heap.h). It forwards them to the malloc that the program would otherwise use:
// glibc's, or a preloaded one such as jemalloc's. It leaves `free` to the same library.
#include <dlfcn.h>

#include <cstdlib>

#include "autograd/library_scope.h"
#include "autograd/sanitizer.h"
#include "base/heap.h"

#if !GLOSSA_SANITIZES(address) && !GLOSSA_SANITIZES(thread)

namespace {

/// Returns the function with this name from the libraries that follow the program.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void count() { glossa::count_heap_allocation(glossa::LibraryScope::active()); }

}  // namespace

// The program's functions take precedence over those of shared libraries, even for calls from shared libraries.
extern "C" {
void* malloc(std::size_t bytes) {
  static auto* const real = next<void*(std::size_t)>("malloc");
  count();
  return real(bytes);
}

void* calloc(std::size_t number, std::size_t bytes) {
  static auto* const real = next<void*(std::size_t, std::size_t)>("calloc");
  count();
  return real(number, bytes);
}

void* realloc(void* memory, std::size_t bytes) {
  static auto* const real = next<void*(void*, std::size_t)>("realloc");
  count();
  return real(memory, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  static auto* const real = next<void*(std::size_t, std::size_t)>("memalign");
  count();
  return real(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  static auto* const real = next<void*(std::size_t, std::size_t)>("aligned_alloc");
  count();
  return real(alignment, bytes);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  static auto* const real = next<int(void**, std::size_t, std::size_t)>("posix_memalign");
  count();
  return real(result, alignment, bytes);
}
}

#endif
