#pragma once

#include <cstddef>

/// A program that calls one of these is linked with a malloc that counts and forwards to glibc's. Other programs keep
/// theirs.
namespace glossa {

/// Heap allocations since the program started, by any thread, outside a LibraryScope. Counted at malloc and its
/// relatives, which operator new, Eigen's allocator and the arenas all end in. Sanitizer builds, which bring their own
/// malloc, count nothing.
std::size_t heap_allocations();

/// Heap allocations inside LibraryScopes.
std::size_t library_heap_allocations();

}  // namespace glossa
