#pragma once

#include <span>
#include <vector>

#include "optim/tree_sum.h"

namespace glossa {

/// Adds up the gradients of the processes of the job. Each of them brings sums of its own micro-batches, gets those of
/// the others for its stretch of the flat buffer, and finishes the tree there: a reduce-scatter whose order of
/// additions is that of one process.
class GradientExchange {
 public:
  /// `sums` are what TreeSum made of the terms of this process, `count` terms in all, shared out by Job::part_of. The
  /// stretch of this process, of those that `bounds` parts, is left in `gradients`; the rest of it may be anything.
  void add(std::span<const PartialSum<float>> sums, std::int64_t count, std::span<const Index> bounds,
           std::span<float> gradients);

 private:
  std::vector<float> received_;
};

}  // namespace glossa
