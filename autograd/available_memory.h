#pragma once

#include <cstddef>
#include <filesystem>

namespace glossa {

/// Bytes that this process can still get without the kernel having to kill something: what is free or can be freed, and
/// swap, cut by the limits of the control groups that it is in, a container's for one (cgroup v1 and v2). As much as
/// can be addressed where the system does not say, or after ignore_memory_limits.
std::size_t available_memory();

/// What proc/ and sys/ below `root` say of it.
std::size_t available_memory(const std::filesystem::path& root);

/// From now on available_memory() is as much as can be addressed: for who knows better than the system tells.
void ignore_memory_limits();

}  // namespace glossa
