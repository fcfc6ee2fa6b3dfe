#pragma once

#include <algorithm>

#include "autograd/shape.h"

namespace glossa {

/// Number of threads that the loops below use, one team per process. It affects only speed: shapes alone decide how
/// work is cut, and one thread computes each piece whole, so any number of threads gives the same bits. Do not set it
/// while any thread computes.
int threads();
void set_threads(int count);

/// Number of the calling thread inside a loop below, in {0, ..., threads()-1}: selects its scratch memory. 0 outside. A
/// loop that begins while another runs, within a piece or in another calling thread, stays on its thread.
int thread_index();

/// While one lives, loops of its thread stay on that thread: for threads that compute independently.
class LoopsAlone {
 public:
  explicit LoopsAlone(bool alone = true);
  ~LoopsAlone();
  LoopsAlone(const LoopsAlone&) = delete;
  LoopsAlone& operator=(const LoopsAlone&) = delete;

 private:
  bool before_;
};

/// Cores this process may run on: the affinity mask, cut by the cgroup's quota.
int available_threads();

/// parallel_for with a type-erased piece: one function serves all loops.
void run_pieces(Index count, const void* closure, void (*piece)(const void* closure, Index i));

/// Calls piece(i) for i in {0, ..., count-1}, in any order, from several threads. Pieces must write disjoint memory.
/// Pieces are handed out one by one, so that uneven ones do not leave a thread idle. Rethrows one exception thrown by a
/// piece, once no piece is running any more.
template <class Piece>
void parallel_for(Index count, const Piece& piece) {
  run_pieces(count, &piece, [](const void* closure, Index i) { (*static_cast<const Piece*>(closure))(i); });
}

/// Calls range(begin, end) over consecutive ranges of `grain` elements (the last may be shorter) of {0, ..., count-1}.
template <class Range>
void parallel_ranges(Index count, Index grain, const Range& range) {
  parallel_for((count + grain - 1) / grain,
               [&](Index piece) { range(piece * grain, std::min(count, (piece + 1) * grain)); });
}

}  // namespace glossa
