#pragma once

#include <functional>
#include <span>
#include <vector>

#include "autograd/parameter.h"
#include "optim/tree_sum.h"
#include "train/processes/job.h"

namespace glossa {

/// Sums the gradients of an update over its micro-batches, in a tree whose shape depends only on their number. The
/// job's processes divide the micro-batches among themselves, and each adds up the gradients of its share. Each process
/// is responsible for one slice of the flat gradient buffer. It receives the other processes' sums for that slice, and
/// finishes the tree there. This is a reduce-scatter that adds in the same order as a single process.
class GradientSum {
 public:
  /// Keeps references to `parameters` and `job`.
  explicit GradientSum(ParameterStore<float>& parameters, const Job& job = Job::alone());

  /// Calls `backward(i)` for this process's share of the `count` micro-batches. `backward` must leave micro-batch i's
  /// gradients in the parameters. Afterwards, the gradients in this process's slice are the total over all
  /// micro-batches; all other gradients are undefined. Process r's slice is [bounds[r], bounds[r+1]).
  void add_up(std::int64_t count, std::span<const Index> bounds, const std::function<void(std::int64_t)>& backward);

 private:
  void exchange(std::span<const PartialSum<float>> own, std::int64_t count, std::span<const Index> bounds);

  ParameterStore<float>& parameters_;
  const Job& job_;
  TreeSum<float> sum_;           // this process's sum
  std::vector<float> received_;  // numbers from other processes
};

}  // namespace glossa
