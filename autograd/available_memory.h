#pragma once

#include <cstddef>

namespace glossa {

/// Bytes that this process can still get without the kernel having to kill something: what is free or can be freed, and
/// swap, cut by the limit of a container (cgroup v2). As much as can be addressed where the system does not say.
std::size_t available_memory();

}  // namespace glossa
