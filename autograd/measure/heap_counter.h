#pragma once

#include <cstddef>

/// Programs that link to glossa_heap_counter have a malloc that counts calls and forwards them to glibc's. Others keep
/// their own malloc, such as jemalloc's.
namespace glossa {

/// Heap allocations since the program started, by any thread, outside a LibraryScope. Calls of malloc and related
/// functions are counted; operator new and Eigen's allocator use these. Arenas map their blocks without malloc and
/// count them themselves (see Arena::heap_allocations). Sanitizer builds have their own malloc and count nothing.
std::size_t heap_allocations();

/// Heap allocations inside LibraryScopes.
std::size_t library_heap_allocations();

}  // namespace glossa
