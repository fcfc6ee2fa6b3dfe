#pragma once

#include <functional>
#include <span>
#include <vector>

#include "autograd/parameter.h"
#include "optim/tree_sum.h"

namespace glossa {

/// Sums the gradients of an update over its micro-batches, in a tree whose shape depends only on their number. The
/// job's processes split them: each adds its own, receives the others' sums for its stretch of the flat buffer, and
/// finishes the tree there. It is a reduce-scatter with the order of additions of a single process.
class GradientSum {
 public:
  explicit GradientSum(ParameterStore<float>& parameters);

  /// Calls `backward(i)` for this process's share of `count` micro-batches; it leaves that micro-batch's gradients in
  /// the parameters. Afterwards these hold the total in this process's own stretch, of those that `bounds` separates;
  /// the rest is undefined.
  void add_up(std::int64_t count, std::span<const Index> bounds, const std::function<void(std::int64_t)>& backward);

 private:
  void exchange(std::span<const PartialSum<float>> own, std::int64_t count, std::span<const Index> bounds);

  ParameterStore<float>& parameters_;
  TreeSum<float> sum_;           // of this process
  std::vector<float> received_;  // from others
};

}  // namespace glossa
