#include "base/available_memory.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/support/temporary_folder.h"

using namespace glossa;
using glossa::testing::TemporaryFolder;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t gib = std::size_t{1} << 30, unlimited = std::numeric_limits<std::size_t>::max();

/// The files of a machine that reports 8 GiB of available memory and 2 GiB of free swap.
struct System {
  TemporaryFolder root;

  System() { write("proc/meminfo", "MemTotal: 99999999 kB\nMemAvailable: 8388608 kB\nSwapFree: 2097152 kB\n"); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root / path).parent_path());
    glossa::testing::write_bytes(root / path, text);
  }

  void write(const std::string& path, std::size_t number) const { write(path, std::to_string(number) + "\n"); }

  double left_in_gib() const { return static_cast<double>(available_memory(root.path())) / gib; }
};

}  // namespace

TEST_CASE("a machine has its available memory and its free swap left") {
  const System machine;
  CHECK(machine.left_in_gib() == 10);
  machine.write("proc/meminfo", "SwapFree: 2097152 kB\n");
  CHECK(available_memory(machine.root.path()) == unlimited);  // not reported
}

TEST_CASE("cgroup v2: the tightest limit of a group and its parents counts, with file pages as free") {
  const System machine;
  const std::string groups = "sys/fs/cgroup/", own = groups + "user.slice/job/";
  machine.write("proc/self/cgroup", "0::/user.slice/job\n");
  machine.write(own + "memory.max", 3 * gib);
  CHECK(machine.left_in_gib() == 5);  // none used yet, and swap besides
  machine.write(own + "memory.current", 2 * gib);
  CHECK(machine.left_in_gib() == 3);
  machine.write(own + "memory.stat", "anon 9\ninactive_file 536870912\nactive_file 536870912\n");
  CHECK(machine.left_in_gib() == 4);
  machine.write(own + "memory.swap.max", gib);
  machine.write(own + "memory.swap.current", gib / 2);
  CHECK(machine.left_in_gib() == 2.5);
  machine.write(own + "memory.swap.max", 0);
  CHECK(machine.left_in_gib() == 2);
  machine.write(groups + "user.slice/memory.max", gib);
  machine.write(groups + "user.slice/memory.swap.max", 0);
  CHECK(machine.left_in_gib() == 1);
  machine.write(groups + "user.slice/memory.current", 5 * gib);  // the limit was lowered
  CHECK(machine.left_in_gib() == 0);
  for (const char* group : {"user.slice/", "user.slice/job/"}) machine.write(groups + group + "memory.max", "max\n");
  CHECK(machine.left_in_gib() == 10);
}

TEST_CASE("cgroup v2: a container's group is the root") {
  const System machine;
  machine.write("proc/self/cgroup", "0::/\n");
  machine.write("sys/fs/cgroup/memory.max", gib);
  machine.write("sys/fs/cgroup/memory.swap.max", 0);
  CHECK(machine.left_in_gib() == 1);
}

TEST_CASE("cgroup v1: limits of memory, and of memory and swap together, both count") {
  const System machine;
  const std::string own = "sys/fs/cgroup/memory/docker/42/";
  machine.write("proc/self/cgroup", "5:cpu,cpuacct:/docker/42\n4:hugetlb,memory:/docker/42\n0::/\n");
  machine.write(own + "memory.limit_in_bytes", 3 * gib);
  machine.write(own + "memory.usage_in_bytes", 2 * gib);
  CHECK(machine.left_in_gib() == 3);  // including swap
  machine.write(own + "memory.stat", "inactive_file 1\ntotal_inactive_file 268435456\ntotal_active_file 268435456\n");
  CHECK(machine.left_in_gib() == 3.5);
  machine.write(own + "memory.memsw.limit_in_bytes", 4 * gib);
  machine.write(own + "memory.memsw.usage_in_bytes", 2 * gib);
  CHECK(machine.left_in_gib() == 2.5);
  machine.write(own + "memory.limit_in_bytes", "9223372036854771712\n");  // none
  machine.write(own + "memory.memsw.limit_in_bytes", "9223372036854771712\n");
  CHECK(machine.left_in_gib() == 10);
}

TEST_CASE("cgroup v1: in a container whose group has the machine's name, the mount itself counts") {
  const System machine;
  machine.write("proc/self/cgroup", "4:memory:/docker/42\n");
  machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", gib);
  machine.write("sys/fs/cgroup/memory/memory.memsw.limit_in_bytes", gib);
  CHECK(machine.left_in_gib() == 1);
}
