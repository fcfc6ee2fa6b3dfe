#pragma once

#include "autograd/kernels/cross_entropy.h"
#include "autograd/ops.h"

/// Code that cross_entropy.cpp and linear_cross_entropy.cpp share. kernels/cross_entropy.h computes one row.
namespace glossa {

struct LossOptions {
  int ignore_index;  // rows with this target do not count
  double smoothing;
};

/// Throws if the smoothing or a target is invalid for logits of this shape.
inline void check_targets(const char* op, const Shape& logits, std::span<const int> targets, const LossOptions& o) {
  check(o.smoothing >= 0 && o.smoothing <= 1, op, "expected label smoothing in [0, 1]; got {}", o.smoothing);
  for (std::size_t i = 0; i < targets.size(); ++i)
    check(targets[i] == o.ignore_index || (targets[i] >= 0 && targets[i] < logits[-1]), op,
          "expected targets in [0, {}) or {} (ignored) for logits {}; got {} in row {}", logits[-1], o.ignore_index,
          logits, targets[i], i);
}

/// Adds up the rows' losses in order. Writes the loss to `sum`, and leaves CrossEntropy::sum unassigned.
template <class T>
CrossEntropy<T> add_up(std::span<const kernels::RowLoss> rows, std::span<const int> targets, const LossOptions& o,
                       T& sum) {
  CrossEntropy<T> result;
  double loss = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    loss += rows[i].loss;
    result.nll_sum += rows[i].nll;
    result.count += targets[i] != o.ignore_index;
  }
  sum = static_cast<T>(loss);
  return result;
}

/// Computes the losses of rows. Writes log sum exp of each counted row to `lse`, unless null.
template <class T>
void compute_losses(std::span<kernels::RowLoss> losses, std::span<const int> targets, const LossOptions& o,
                    const Tensor<const T>& logits, kernels::LogSumExp<T>* lse) {
  kernels::for_each_row(logits, [&](Index i) {
    losses[i] = {};
    if (targets[i] == o.ignore_index) return;
    const kernels::LogSumExp<T> row = kernels::log_sum_exp(logits.cols(), logits.row(i));
    losses[i] = kernels::cross_entropy_row(logits.cols(), logits.row(i), row, targets[i], o.smoothing);
    if (lse) lse[i] = row;
  });
}

}  // namespace glossa
