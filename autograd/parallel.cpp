#include "autograd/parallel.h"

#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cmath>
#include <exception>
#include <fstream>
#include <string>

#include "autograd/check.h"

namespace glossa {

namespace {

int cores_by_affinity() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// cgroup v2: "max 100000" or "200000 100000" (microseconds of processor time a period).
int cores_by_quota(int otherwise) {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return otherwise;
  return std::max(1, static_cast<int>(std::ceil(std::strtod(quota.c_str(), nullptr) / period)));
}

thread_local int index_in_team = 0;

std::atomic<int>& thread_count() {
  static std::atomic<int> count = available_threads();
  return count;
}

}  // namespace

int available_threads() {
  const int cores = cores_by_affinity();
  return std::min(cores, cores_by_quota(cores));
}

int threads() { return thread_count(); }

void set_threads(int count) {
  check(count >= 1, "threads", "expected at least 1 thread; got {}", count);
  thread_count() = count;
}

// Not OpenMP's number: within a parallel region of the caller's that may be beyond threads().
int thread_index() { return index_in_team; }

void run_pieces(Index count, const void* closure, void (*piece)(const void* closure, Index i)) {
  const int team = threads();
  if (team <= 1 || count <= 1 || omp_in_parallel()) {
    for (Index i = 0; i < count; ++i) piece(closure, i);
    return;
  }
  std::exception_ptr thrown;  // nothing may leave the parallel region
  // All threads, even for few pieces: when a team gets smaller, OpenMP ends threads, and starts others when it grows.
#pragma omp parallel num_threads(team)
  {
    index_in_team = omp_get_thread_num();
#pragma omp for schedule(dynamic, 1)
    for (Index i = 0; i < count; ++i) {
      try {
        piece(closure, i);
      } catch (...) {
#pragma omp critical(glossa_parallel_for)
        thrown = std::current_exception();
      }
    }
    index_in_team = 0;
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace glossa
