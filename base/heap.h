#pragma once

#include <cstddef>

namespace glossa {

/// Heap allocations since the program started, by any thread, outside a LibraryScope (autograd/library_scope.h). Counts
/// calls of malloc and related functions, which operator new and Eigen's allocator use. Arenas map their blocks without
/// malloc and count them themselves (see Arena::heap_allocations).
///
/// Only tests and glossa-bench count: they link to glossa_heap_counter (autograd/measure/heap_counter.cpp). In all
/// other programs, which use the usual malloc, and in sanitizer builds, the number stays 0.
std::size_t heap_allocations();

/// Heap allocations inside LibraryScopes.
std::size_t library_heap_allocations();

/// Counts an allocation. The counting malloc calls it.
void count_heap_allocation(bool by_library);

}  // namespace glossa
