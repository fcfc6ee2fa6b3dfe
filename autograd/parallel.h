#pragma once

#include <algorithm>

#include "autograd/shape.h"

namespace glossa {

/// Number of threads that the loops below use, one team per process. It affects only speed. The pieces of work depend
/// only on shapes, and one thread computes each piece, so any number of threads gives the same bits. Do not set it
/// while any thread computes.
int threads();
void set_threads(int count);

/// Number of the calling thread inside a loop below, in {0, ..., threads()-1}: selects its scratch memory. 0 outside a
/// loop. A loop that begins while another loop runs, within a piece or in another thread, runs on its calling thread
/// only.
int thread_index();

/// While a LoopsAlone exists, loops of its thread run on that thread only: for threads that compute independently.
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

/// parallel_for with a type-erased piece: one function serves all loops.
void run_pieces(Index count, const void* closure, void (*piece)(const void* closure, Index i));

/// Calls piece(i) for i in {0, ..., count-1}, in any order, from several threads. Pieces must write disjoint memory.
/// Pieces are handed out one by one, so that pieces of uneven length do not leave threads idle. If pieces throw,
/// rethrows one exception after all running pieces have ended.
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

}  // namespace glossa
