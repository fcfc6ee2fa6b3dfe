#pragma once

#include <cstddef>

/// Linking a program that calls one of these replaces its malloc by one that counts and passes on to glibc's. Programs
/// that do not call them keep theirs.
namespace glossa {

/// How often memory was asked from the heap since the program started, by any thread, outside a LibraryScope: at malloc
/// and its relatives, where operator new, Eigen's allocator and the arenas all end. A build with sanitizers, which
/// bring a malloc of their own, counts nothing.
std::size_t heap_allocations();

/// The same inside of LibraryScopes.
std::size_t library_heap_allocations();

}  // namespace glossa
