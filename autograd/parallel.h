#pragma once

#include <omp.h>

#include <algorithm>
#include <exception>

#include "autograd/shape.h"

namespace glossa {

/// How many threads the loops below use. It decides speed only: work is cut into pieces by the shapes alone and every
/// piece is computed whole by one thread, so any number of threads gives the same bits.
int threads();
void set_threads(int count);

/// Number of the calling thread inside a loop below, in {0, ..., threads()-1}: picks its piece of scratch memory.
inline int thread_index() { return omp_get_thread_num(); }

/// Cores this process may run on: the affinity mask, cut by the cgroup's quota.
int available_threads();

/// Calls piece(i) for i in {0, ..., count-1}, in any order, from several threads. Pieces must write disjoint memory.
/// Pieces are handed out one by one, so that uneven ones do not leave a thread idle. Throws what a piece throws (one of
/// several), after all pieces.
template <class Piece>
void parallel_for(Index count, const Piece& piece) {
  const int team = static_cast<int>(std::min<Index>(threads(), count));
  if (team <= 1 || omp_in_parallel()) {
    for (Index i = 0; i < count; ++i) piece(i);
    return;
  }
  std::exception_ptr thrown;  // nothing may leave the parallel region
#pragma omp parallel for num_threads(team) schedule(dynamic, 1)
  for (Index i = 0; i < count; ++i) {
    try {
      piece(i);
    } catch (...) {
#pragma omp critical(glossa_parallel_for)
      thrown = std::current_exception();
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

/// Calls range(begin, end) over consecutive ranges of `grain` elements (the last may be shorter) of {0, ..., count-1}.
template <class Range>
void parallel_ranges(Index count, Index grain, const Range& range) {
  parallel_for((count + grain - 1) / grain,
               [&](Index piece) { range(piece * grain, std::min(count, (piece + 1) * grain)); });
}

}  // namespace glossa
