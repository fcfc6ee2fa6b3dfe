#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/index.h"

namespace glossa {

/// Threads that share the pieces of a loop, one loop at a time. A loop ends when its pieces are done, so a preempted
/// thread delays the loop only if it has begun a piece. An OpenMP loop, in contrast, waits for every thread of its
/// team, even for preempted ones.
class ThreadTeam {
 public:
  using Piece = void (*)(const void* closure, Index i);

  /// Maximum number of pieces in a loop.
  static constexpr Index max_pieces = 0xffff'ffff;

  /// Makes a team of `size` >= 1 threads, including the thread that calls `run`. Throws an Error if the system refuses
  /// a thread.
  explicit ThreadTeam(int size);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  int size() const { return static_cast<int>(helpers_.size()) + 1; }

  /// Calls piece(closure, i) for i in {0, ..., count-1}, handed out one by one. If pieces throw, the other pieces still
  /// run; afterwards one of the exceptions is rethrown. Only one loop may run at a time.
  void run(Index count, const void* closure, Piece piece);

  /// Number of the calling thread in its team, in {0, ..., size-1}; 0 for the thread that calls `run` and for threads
  /// of no team.
  static int index();

 private:
  std::uint32_t take_pieces();
  void report(std::uint32_t pieces);
  void help(int index);
  void end();

  // The current loop. The lower half of left_ counts the pieces that no thread has begun; the upper half is the loop's
  // number. To take a piece, a thread reads left_ and then the closure, and decrements left_ by compare-exchange. The
  // exchange fails if a new loop has begun meanwhile. A late thread therefore never runs a piece of one loop with the
  // closure of another.
  alignas(64) std::atomic<std::uint64_t> left_{0};
  std::atomic<const void*> closure_{nullptr};
  std::atomic<Piece> piece_{nullptr};
  std::atomic<Index> count_{0};
  alignas(64) std::atomic<std::uint32_t> undone_{0};  // pieces not yet reported as done
  std::mutex throwing_;
  std::exception_ptr thrown_;

  alignas(64) std::atomic<std::uint32_t> loops_{0};  // loops begun; sleeping helpers wait for a change
  std::atomic<bool> ends_{false};
  std::vector<std::thread> helpers_;
};

}  // namespace glossa
