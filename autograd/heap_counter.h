#pragma once

#include <cstddef>

namespace glossa {

/// How often memory was asked from the heap since the program started, by any thread, outside a LibraryScope. Counted
/// at malloc and its relatives (operator new, Eigen's allocator and the arenas all end there); in a build with
/// sanitizers, which bring a malloc of their own, at operator new.
std::size_t heap_allocations();

/// The same inside of LibraryScopes.
std::size_t library_heap_allocations();

/// While one lives, allocations of this thread are put down to a product library that glossa calls.
class LibraryScope {
 public:
  LibraryScope();
  ~LibraryScope();
  LibraryScope(const LibraryScope&) = delete;
  LibraryScope& operator=(const LibraryScope&) = delete;
};

}  // namespace glossa
