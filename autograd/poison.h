#pragma once

#include <cstddef>

#include "autograd/sanitizer.h"

#if GLOSSA_SANITIZES(address)
#include <sanitizer/asan_interface.h>
#endif

namespace glossa {

/// Makes AddressSanitizer report any access to these bytes before `unpoison`. Does nothing in other builds.
inline void poison([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#if GLOSSA_SANITIZES(address)
  ASAN_POISON_MEMORY_REGION(data, bytes);
#endif
}

inline void unpoison([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#if GLOSSA_SANITIZES(address)
  ASAN_UNPOISON_MEMORY_REGION(data, bytes);
#endif
}

inline bool is_poisoned([[maybe_unused]] const void* data) {
#if GLOSSA_SANITIZES(address)
  return __asan_address_is_poisoned(data);
#else
  return false;
#endif
}

}  // namespace glossa
