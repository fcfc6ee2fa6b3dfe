// A library for LD_PRELOAD that makes the program's allocations fail. These are calls of malloc and its relatives,
// which operator new uses, and anonymous mappings, which arenas and generated code use. It counts them from the
// program's start. The environment sets:
//   FAIL_AT=N     allocation N fails
//   FAIL_FROM=N   allocation N and all later ones fail
//   COUNT_TO=FILE at the end, writes the number of allocations to FILE
// The heap and free remain glibc's.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

struct Plan {
  unsigned long at = 0, from = 0;
};

unsigned long number_in(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoul(text, nullptr, 10) : 0;
}

std::atomic<unsigned long> allocations{0};

/// Counts an allocation; returns true if it fails.
bool fails() {
  if (environ == nullptr) return false;  // the program has not begun
  static const Plan plan{number_in("FAIL_AT"), number_in("FAIL_FROM")};
  const unsigned long number = ++allocations;
  if (number != plan.at && (plan.from == 0 || number < plan.from)) return false;
  errno = ENOMEM;
  return true;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__attribute__((destructor)) void write_count() {
  const char* const file = std::getenv("COUNT_TO");
  if (file == nullptr) return;
  const int descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  dprintf(descriptor, "%lu", allocations.load());
  close(descriptor);
}

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) { return fails() ? nullptr : __libc_malloc(bytes); }

void* calloc(std::size_t count, std::size_t bytes) { return fails() ? nullptr : __libc_calloc(count, bytes); }

void* realloc(void* memory, std::size_t bytes) {
  return bytes != 0 && fails() ? nullptr : __libc_realloc(memory, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  return fails() ? nullptr : __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  void* const memory = memalign(alignment, bytes);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int descriptor, off_t offset) noexcept {
  static auto* const real = next<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  return (flags & MAP_ANONYMOUS) != 0 && fails() ? MAP_FAILED
                                                 : real(address, bytes, protection, flags, descriptor, offset);
}
}
