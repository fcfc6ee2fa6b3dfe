#pragma once

#include <functional>
#include <span>
#include <vector>

#include "autograd/parameter.h"
#include "optim/tree_sum.h"

namespace glossa {

/// Adds up the gradients of an update over its micro-batches, in a tree whose shape their number alone decides. The
/// processes of the job share them out: each brings sums of its own, gets those of the others for its stretch of the
/// flat buffer, and finishes the tree there. It is a reduce-scatter whose order of additions is that of one process.
class GradientSum {
 public:
  explicit GradientSum(ParameterStore<float>& parameters);

  /// Calls `backward(i)` for those of `count` micro-batches that are this process's: it leaves the gradients of that
  /// one in the parameters. Afterwards these hold the sum over all, of the stretches that `bounds` parts in this
  /// process's own; the rest of them may be anything.
  void add_up(std::int64_t count, std::span<const Index> bounds, const std::function<void(std::int64_t)>& backward);

 private:
  void exchange(std::span<const PartialSum<float>> own, std::int64_t count, std::span<const Index> bounds);

  ParameterStore<float>& parameters_;
  TreeSum<float> sum_;           // of this process
  std::vector<float> received_;  // from others
};

}  // namespace glossa
