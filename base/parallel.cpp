#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "base/check.h"
#include "base/thread_team.h"

namespace glossa {

namespace {

int cores_by_affinity() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// Number of cores by the quota of cgroup v2: "max 100000" or "200000 100000" (microseconds of processor time per
/// period).
int cores_by_quota(int otherwise) {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return otherwise;
  return std::max(1, static_cast<int>(std::ceil(std::strtod(quota.c_str(), nullptr) / period)));
}

std::atomic<int>& thread_count() {
  static std::atomic<int> count = usual_threads();
  return count;
}

thread_local bool loops_alone = false;

/// The process's team. Any caller may use it while no loop runs.
struct SharedTeam {
  std::atomic<bool> busy{false};
  std::unique_ptr<ThreadTeam> team;
};

SharedTeam& shared_team() {
  static SharedTeam shared;
  // A forked child has the team's memory but not its threads, so it makes a new team.
  static const int forked = pthread_atfork(nullptr, nullptr, [] {
    static_cast<void>(shared.team.release());
    shared.busy = false;
  });
  static_cast<void>(forked);
  return shared;
}

}  // namespace

int available_threads() {
  const int cores = cores_by_affinity();
  return std::min(cores, cores_by_quota(cores));
}

int usual_threads(int most) {
  const char* const variable = std::getenv("OMP_NUM_THREADS");
  const long allowed = variable ? std::strtol(variable, nullptr, 10) : 0;
  return allowed > 0 ? static_cast<int>(std::min<long>(most, allowed)) : most;
}

int threads() { return thread_count(); }

void set_threads(int count) {
  check(count >= 1, "threads", "expected at least 1 thread; got {}", count);
  thread_count() = count;
}

LoopsAlone::LoopsAlone(bool alone) : before_(loops_alone) { loops_alone = before_ || alone; }

LoopsAlone::~LoopsAlone() { loops_alone = before_; }

int thread_index() { return ThreadTeam::index(); }

void run_pieces(Index count, const void* closure, void (*piece)(const void* closure, Index i)) {
  SharedTeam& shared = shared_team();
  const bool alone = loops_alone || threads() == 1 || count <= 1 || count > ThreadTeam::max_pieces;
  if (alone || shared.busy.exchange(true, std::memory_order_acquire)) {
    for (Index i = 0; i < count; ++i) piece(closure, i);
    return;
  }
  struct Release {
    SharedTeam& shared;
    ~Release() { shared.busy.store(false, std::memory_order_release); }
  } const release{shared};
  if (!shared.team || shared.team->size() != threads()) shared.team = std::make_unique<ThreadTeam>(threads());
  shared.team->run(count, closure, piece);
}

}  // namespace glossa
