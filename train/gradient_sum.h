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
/// then receives the others' sums for its slice of the flat gradient buffer, and finishes the tree in that slice. This
/// is a reduce-scatter that adds in the same order as a single process.
class GradientSum {
 public:
  /// Keeps references to `parameters` and `job`.
  explicit GradientSum(ParameterStore<float>& parameters, const Job& job = Job::alone());

  /// Calls `backward(i)` for this process's share of the `count` micro-batches. `backward` must leave micro-batch i's
  /// gradients in the parameters. Afterwards the gradients hold the total in this process's slice, which `bounds`
  /// delimits. Outside the slice they are undefined.
  void add_up(std::int64_t count, std::span<const Index> bounds, const std::function<void(std::int64_t)>& backward);

 private:
  void exchange(std::span<const PartialSum<float>> own, std::int64_t count, std::span<const Index> bounds);

  ParameterStore<float>& parameters_;
  const Job& job_;
  TreeSum<float> sum_;           // this process's sum
  std::vector<float> received_;  // numbers from other processes
};

}  // namespace glossa
