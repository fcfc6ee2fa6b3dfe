#pragma once

#include <cstddef>
#include <filesystem>

namespace glossa {

/// Bytes that this process can still allocate before the kernel must kill a process. They are free and reclaimable
/// memory plus swap, capped by the limits of the process's control groups (cgroup v1 and v2), such as a container's
/// limit. If the system does not report these numbers, or after ignore_memory_limits, returns the size of the address
/// space.
std::size_t available_memory();

/// Available memory according to proc/ and sys/ below `root`.
std::size_t available_memory(const std::filesystem::path& root);

/// Makes available_memory() return the size of the address space, for users who know better than the system.
void ignore_memory_limits();

/// Returns the heap's free memory to the system after work with a high peak. Only glibc supports it; does nothing with
/// other C libraries.
void return_free_memory();

}  // namespace glossa
