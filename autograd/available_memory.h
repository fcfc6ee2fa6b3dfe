#pragma once

#include <cstddef>
#include <filesystem>

namespace glossa {

/// Bytes this process can still get before the kernel must kill something: free and reclaimable memory and swap, capped
/// by the limits of its control groups, for example a container's (cgroup v1 and v2). The whole address space if the
/// system does not report it, or after ignore_memory_limits.
std::size_t available_memory();

/// As reported by proc/ and sys/ below `root`.
std::size_t available_memory(const std::filesystem::path& root);

/// Makes available_memory() return the whole address space: for users who know better than the system.
void ignore_memory_limits();

}  // namespace glossa
