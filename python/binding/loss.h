#pragma once

#include "autograd/ops.h"
#include "python/binding/value.h"

namespace glossa::python {

/// Python's `glossa.CrossEntropy`.
struct Loss {
  Value sum;
  double nll_sum;
  Index count;

  template <class T>
  Loss(const std::shared_ptr<Step>& step, const CrossEntropy<T>& loss)
      : sum(step, loss.sum), nll_sum(loss.nll_sum), count(loss.count) {}

  /// Returns the mean negative log-likelihood of the counted rows.
  double nll() const { return count == 0 ? 0 : nll_sum / static_cast<double>(count); }
};

}  // namespace glossa::python
