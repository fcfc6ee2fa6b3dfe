#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <vector>

#include "base/index.h"

namespace glossa {

/// Number of threads in the process's team, which runs the loops below. This number affects only speed. The pieces of
/// work depend only on shapes, and one thread computes each piece, so any number of threads gives the same bits. Do not
/// call set_threads while any thread computes.
int threads();
void set_threads(int count);

/// Index of the calling thread within the loops below, in {0, ..., threads()-1}; 0 outside a loop. Pieces use this
/// index to select their thread's scratch memory. A loop runs only on the thread that called it if it begins inside a
/// piece of another loop, or while another thread runs a loop.
int thread_index();

/// While a LoopsAlone exists, loops called by the thread that created it run on that thread only. It serves threads
/// that compute independently of each other.
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

/// Number of threads unless set_threads chooses one: `most`, or what OMP_NUM_THREADS allows if that is less. Of a list
/// ("4,2"), the first number counts. A value that does not begin with a positive number has no effect; OpenMP warns of
/// it.
int usual_threads(int most = available_threads());

/// parallel_for with a type-erased piece: one function serves all loops.
void run_pieces(Index count, const void* closure, void (*piece)(const void* closure, Index i));

/// Calls piece(i) for i in {0, ..., count-1}, in any order, from several threads. Pieces must write disjoint memory.
/// Pieces are handed out one by one, so that pieces of uneven length do not leave threads idle. If pieces throw, waits
/// until no piece is running and rethrows one of the exceptions; some pieces may then not have run.
template <class Piece>
void parallel_for(Index count, const Piece& piece) {
  run_pieces(count, &piece, [](const void* closure, Index i) { (*static_cast<const Piece*>(closure))(i); });
}

/// Calls range(begin, end) for consecutive ranges of {0, ..., count-1}, of `grain` elements each; the last may be
/// shorter.
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

/// As parallel_ranges, but if ranges throw, all others run, and the exception of the first of those that threw, in
/// their order, is rethrown. So any number of threads gives the same error.
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
