#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "autograd/shape.h"

namespace glossa {

/// Threads that share out the pieces of one loop after another. A loop is over when its pieces are done; OpenMP's is
/// over when every thread of the team has come to its end, and waits for those that the kernel does not let run because
/// the machine has other work. Here such a thread is missed only by the piece that it was taken from.
class ThreadTeam {
 public:
  using Piece = void (*)(const void* closure, Index i);

  /// The most pieces of a loop.
  static constexpr Index most_pieces = 0xffff'ffff;

  /// A team of `size` >= 1 threads: the one that calls `run` is one of them.
  explicit ThreadTeam(int size);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  int size() const { return static_cast<int>(helpers_.size()) + 1; }

  /// Calls piece(closure, i) for i in {0, ..., count-1}, handed out one by one. Rethrows one of what pieces throw, when
  /// none is running any more. One loop at a time.
  void run(Index count, const void* closure, Piece piece);

  /// Number of the calling thread in its team, in {0, ..., size-1}; 0 for the one that called `run`, and outside.
  static int index();

 private:
  std::uint32_t take_pieces();
  void report(std::uint32_t pieces);
  void help(int index);
  void end();

  // The loop at hand. Pieces not yet begun are in the lower half of left_, the number of the loop in the upper: who
  // takes one has changed the word that it read, so no thread that comes late takes a piece of another loop than the
  // one whose closure it has read.
  alignas(64) std::atomic<std::uint64_t> left_{0};
  std::atomic<const void*> closure_{nullptr};
  std::atomic<Piece> piece_{nullptr};
  std::atomic<Index> count_{0};
  alignas(64) std::atomic<std::uint32_t> undone_{0};  // pieces that nobody has reported as done
  std::mutex throwing_;
  std::exception_ptr thrown_;

  alignas(64) std::atomic<std::uint32_t> loops_{0};  // begun; sleeping helpers wait for it to change
  std::atomic<bool> ends_{false};
  std::vector<std::thread> helpers_;
};

}  // namespace glossa
