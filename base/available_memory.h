#pragma once

#include <cstddef>
#include <filesystem>

namespace glossa {

/// Bytes that this process can still allocate before the kernel must kill a process. This is free and reclaimable
/// memory plus swap, capped by the limits of the process's control groups (cgroup v1 and v2), such as a container's
/// limit. If the system does not report these numbers, or after ignore_memory_limits, returns the size of the address
/// space.
std::size_t available_memory();

/// Available memory as reported by proc/ and sys/ below `root`.
std::size_t available_memory(const std::filesystem::path& root);

/// Makes available_memory() return the size of the address space, for users who know better than the system.
void ignore_memory_limits();

/// Returns free memory of the heap to the system, after work that needed much more than what follows. Only a hint: does
/// nothing with other C libraries than glibc.
void return_free_memory();

}  // namespace glossa
