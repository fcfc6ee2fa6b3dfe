#pragma once

#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace glossa {

/// Makes AddressSanitizer report any access to these bytes before `unpoison`. Does nothing in other builds.
inline void poison([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  ASAN_POISON_MEMORY_REGION(data, bytes);
#endif
}

inline void unpoison([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  ASAN_UNPOISON_MEMORY_REGION(data, bytes);
#endif
}

inline bool is_poisoned([[maybe_unused]] const void* data) {
#ifdef __SANITIZE_ADDRESS__
  return __asan_address_is_poisoned(data);
#else
  return false;
#endif
}

}  // namespace glossa
