#include "base/available_memory.h"

#include <fmt/core.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <atomic>
#include <fstream>
#include <limits>
#include <string>

namespace glossa {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

std::atomic<bool> ignores_limits{false};

/// Returns the number after `key` in a file of names and numbers; `otherwise` if the key is absent.
std::size_t value_of(const fs::path& path, const std::string& key, std::size_t otherwise) {
  std::ifstream file(path);
  for (std::string name; file >> name; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    std::size_t value = 0;
    if (name == key && file >> value) return value;
  }
  return otherwise;
}

/// Reads a file that contains one number. Returns `otherwise` for other text, such as "max" in memory.max.
std::size_t number_in(const fs::path& path, std::size_t otherwise) {
  std::size_t value = 0;
  return std::ifstream(path) >> value ? value : otherwise;
}

/// Difference and sum that stop at 0 and at `unlimited` instead of overflowing.
std::size_t minus(std::size_t a, std::size_t b) { return a - std::min(a, b); }
std::size_t plus(std::size_t a, std::size_t b) { return a + std::min(b, unlimited - a); }

/// Returns the unused part of a control group's limit, or `unlimited` without a limit. `freeable` is the part of the
/// used bytes that the kernel can reclaim.
std::size_t left_of(const fs::path& limit, const fs::path& used, std::size_t freeable = 0) {
  const std::size_t maximum = number_in(limit, unlimited);
  return maximum == unlimited ? unlimited : minus(maximum, minus(number_in(used, 0), freeable));
}

/// Bytes of a control group's memory that cache files. `prefix` precedes the names in memory.stat.
std::size_t files_of(const fs::path& group, const std::string& prefix) {
  const fs::path stat = group / "memory.stat";
  return value_of(stat, prefix + "inactive_file", 0) + value_of(stat, prefix + "active_file", 0);
}

std::size_t left_in_v2(const fs::path& group, std::size_t swap) {
  return plus(left_of(group / "memory.max", group / "memory.current", files_of(group, "")),
              std::min(swap, left_of(group / "memory.swap.max", group / "memory.swap.current")));
}

/// Unused memory under cgroup v1, whose memsw files count memory and swap together.
std::size_t left_in_v1(const fs::path& group, std::size_t swap) {
  const std::size_t files = files_of(group, "total_");
  return std::min(plus(left_of(group / "memory.limit_in_bytes", group / "memory.usage_in_bytes", files), swap),
                  left_of(group / "memory.memsw.limit_in_bytes", group / "memory.memsw.usage_in_bytes", files));
}

/// Smallest unused memory of the control group `name` and its ancestors, up to `mount`. Inside a container, `name` may
/// be a path of the host, which does not exist here; `mount` itself is then the container's group.
template <class Left>
std::size_t smallest_left(const fs::path& mount, const std::string& name, const Left& left_in) {
  fs::path group = mount;
  std::size_t smallest = left_in(group);
  for (const fs::path& part : fs::path(name).lexically_normal().relative_path())
    smallest = std::min(smallest, left_in(group /= part));
  return smallest;
}

}  // namespace

std::size_t available_memory(const fs::path& root) {
  const fs::path meminfo = root / "proc/meminfo", groups = root / "sys/fs/cgroup";
  const std::size_t kib = value_of(meminfo, "MemAvailable:", unlimited),
                    swap = 1024 * value_of(meminfo, "SwapFree:", 0);
  std::size_t smallest = kib == unlimited ? unlimited : plus(1024 * kib, swap);
  std::ifstream own(root / "proc/self/cgroup");
  for (std::string line; std::getline(own, line);) {  // NUMBER:CONTROLLERS:NAME; in v2, CONTROLLERS is empty
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const std::string name = line.substr(second + 1);
    if (controllers == ",,")
      smallest = std::min(smallest,
                          smallest_left(groups, name, [&](const fs::path& group) { return left_in_v2(group, swap); }));
    else if (controllers.find(",memory,") != controllers.npos)
      smallest = std::min(smallest, smallest_left(groups / "memory", name,
                                                  [&](const fs::path& group) { return left_in_v1(group, swap); }));
  }
  return smallest;
}

std::size_t available_memory() { return ignores_limits ? unlimited : available_memory("/"); }

void ignore_memory_limits() { ignores_limits = true; }

void return_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace glossa
