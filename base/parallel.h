#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <vector>

#include "base/index.h"

namespace glossa {

/// Number of threads in the process's team, which runs the loops below. It affects only speed. Shapes alone determine
/// the pieces of work, and one thread computes each piece. Any number of threads therefore gives the same bits. Do not
/// call set_threads while any thread computes.
int threads();
void set_threads(int count);

/// Index of the calling thread within the loops below, in {0, ..., threads()-1}; 0 outside a loop. It selects a
/// thread's scratch memory. A loop that begins inside another loop's piece, or while another thread runs a loop, runs
/// only on its calling thread.
int thread_index();

/// While a LoopsAlone exists, loops called by its creating thread run on that thread only. Threads that compute
/// independently of each other use it. With `alone` false, the object has no effect.
class LoopsAlone {
 public:
  explicit LoopsAlone(bool alone = true);
  ~LoopsAlone();
  LoopsAlone(const LoopsAlone&) = delete;
  LoopsAlone& operator=(const LoopsAlone&) = delete;

 private:
  bool before_;
};

/// Number of cores this process may use: those of the affinity mask, capped by the cgroup's quota.
int available_threads();

/// Default number of threads: `most`, or the number in OMP_NUM_THREADS if that is less. If it is a list ("4,2"), its
/// first number counts. A value that does not begin with a positive number has no effect; OpenMP warns about it.
int usual_threads(int most = available_threads());

/// parallel_for with a type-erased piece, so that all loops share one function.
void run_pieces(Index count, const void* closure, void (*piece)(const void* closure, Index i));

/// Calls piece(i) for i in {0, ..., count-1}, in any order, from several threads. Pieces must write disjoint memory.
/// Pieces are handed out one by one, so uneven pieces do not leave threads idle. If pieces throw, waits until no piece
/// is running and rethrows one of the exceptions; some pieces may then not have run.
template <class Piece>
void parallel_for(Index count, const Piece& piece) {
  run_pieces(count, &piece, [](const void* closure, Index i) { (*static_cast<const Piece*>(closure))(i); });
}

/// Calls range(begin, end) for consecutive ranges of {0, ..., count-1}. Each range has `grain` elements; the last may
/// have fewer.
template <class Range>
void parallel_ranges(Index count, Index grain, const Range& range) {
  parallel_for((count + grain - 1) / grain,
               [&](Index piece) { range(piece * grain, std::min(count, (piece + 1) * grain)); });
}

/// Returns of(0), ..., of(count-1), computed in ranges of `grain`.
template <class Of>
auto parallel_map(std::size_t count, Index grain, const Of& of) {
  std::vector<decltype(of(std::size_t{}))> results(count);
  parallel_ranges(static_cast<Index>(count), grain, [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) results[i] = of(i);
  });
  return results;
}

/// As parallel_ranges, but all ranges run even if some throw. Afterwards rethrows the exception of the lowest range
/// that threw, so any number of threads gives the same error.
template <class Range>
void parallel_ranges_in_order(Index count, Index grain, const Range& range) {
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>((count + grain - 1) / grain));
  parallel_ranges(count, grain, [&](Index begin, Index end) {
    try {
      range(begin, end);
    } catch (...) {
      thrown[static_cast<std::size_t>(begin / grain)] = std::current_exception();
    }
  });
  for (const std::exception_ptr& exception : thrown)
    if (exception) std::rethrow_exception(exception);
}

}  // namespace glossa
