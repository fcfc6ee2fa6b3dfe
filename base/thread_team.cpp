#include "base/thread_team.h"

#include <chrono>
#include <utility>

#include "base/start_thread.h"

namespace glossa {

namespace {

thread_local int index_in_team = 0;

/// A thread polls this long for work, or for other threads to finish, before it sleeps. Falling asleep and waking up
/// take about this long. If a thread lets the others wait longer, it has probably been preempted.
constexpr std::chrono::microseconds patience{200};

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Polls until `found` returns true, or for at most `patience`; returns true if `found` did.
template <class Condition>
bool look_for(const Condition& found) {
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    for (int i = 0; i < 32; ++i) {
      if (found()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return found();
}

}  // namespace

int ThreadTeam::index() { return index_in_team; }

ThreadTeam::ThreadTeam(int size) {
  // Reserved first, because a push_back that fails would lose the thread that it was to store.
  helpers_.reserve(static_cast<std::size_t>(size));
  try {
    for (int i = 1; i < size; ++i) helpers_.push_back(start_thread([this, i] { help(i); }));
  } catch (...) {  // the system refused a thread
    end();
    throw;
  }
}

ThreadTeam::~ThreadTeam() { end(); }

void ThreadTeam::end() {
  ends_ = true;
  ++loops_;
  loops_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void ThreadTeam::run(Index count, const void* closure, Piece piece) {
  const std::uint32_t loop = loops_ + 1;
  closure_.store(closure, std::memory_order_relaxed);
  piece_.store(piece, std::memory_order_relaxed);
  count_.store(count, std::memory_order_relaxed);
  undone_.store(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
  left_.store(std::uint64_t{loop} << 32 | static_cast<std::uint64_t>(count), std::memory_order_release);
  loops_ = loop;
  loops_.notify_all();
  report(take_pieces());
  const auto done = [&] { return undone_.load(std::memory_order_acquire) == 0; };
  if (!look_for(done))
    for (std::uint32_t undone = undone_; undone != 0; undone = undone_) undone_.wait(undone);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

/// Runs pieces of the current loop until all have begun; returns the number of pieces run.
std::uint32_t ThreadTeam::take_pieces() {
  std::uint32_t done = 0;
  std::uint64_t left = left_.load(std::memory_order_acquire);
  while (static_cast<std::uint32_t>(left) != 0) {
    const void* closure = closure_.load(std::memory_order_relaxed);
    const Piece piece = piece_.load(std::memory_order_relaxed);
    const Index i = count_.load(std::memory_order_relaxed) - static_cast<std::uint32_t>(left);
    if (!left_.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
    try {
      piece(closure, i);
    } catch (...) {
      const std::lock_guard lock(throwing_);
      thrown_ = std::current_exception();
    }
    ++done;
    left = left_.load(std::memory_order_acquire);
  }
  return done;
}

/// Reports pieces as done. The last thread to report ends the loop and wakes the thread that waits for it.
void ThreadTeam::report(std::uint32_t pieces) {
  if (pieces > 0 && undone_.fetch_sub(pieces, std::memory_order_acq_rel) == pieces) undone_.notify_one();
}

void ThreadTeam::help(int index) {
  index_in_team = index;
  for (std::uint32_t seen = 0;;) {
    if (!look_for([&] { return loops_.load(std::memory_order_acquire) != seen; })) loops_.wait(seen);
    seen = loops_;
    if (ends_) return;
    report(take_pieces());
  }
}

}  // namespace glossa
