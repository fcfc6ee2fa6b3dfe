#include "autograd/available_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace glossa {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The number that follows `key` in a file of names and numbers; `otherwise` if there is none.
std::size_t value_of(const char* path, const std::string& key, std::size_t otherwise) {
  std::ifstream file(path);
  for (std::string name; file >> name; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    std::size_t value = 0;
    if (name == key && file >> value) return value;
  }
  return otherwise;
}

/// A file of one number; "max" in memory.max is no number.
std::size_t number_in(const char* path, std::size_t otherwise) {
  std::size_t value = 0;
  return std::ifstream(path) >> value ? value : otherwise;
}

/// cgroup v2, of a container. Pages of files count as used and are given back when they are needed.
std::size_t left_in_cgroup() {
  const std::size_t limit = number_in("/sys/fs/cgroup/memory.max", unlimited);
  if (limit == unlimited) return unlimited;
  const char* const stat = "/sys/fs/cgroup/memory.stat";
  const std::size_t used = number_in("/sys/fs/cgroup/memory.current", 0),
                    files = value_of(stat, "inactive_file", 0) + value_of(stat, "active_file", 0);
  return limit - std::min(limit, used - std::min(used, files));
}

}  // namespace

std::size_t available_memory() {
  const std::size_t kib = value_of("/proc/meminfo", "MemAvailable:", unlimited);
  const std::size_t machine = kib == unlimited ? unlimited : 1024 * (kib + value_of("/proc/meminfo", "SwapFree:", 0));
  return std::min(machine, left_in_cgroup());
}

}  // namespace glossa
