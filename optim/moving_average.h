#pragma once

#include <cstdint>
#include <span>

#include "autograd/parameter.h"

namespace glossa {

/// The exponential moving average of a store's values, starting at their initial values:
///
///     average += (1 - d) (value - average),    d = min(decay, (1 + t) / (10 + t)),
///
/// with t counting the updates from 1. In early updates, d is smaller than `decay`, as in TensorFlow's
/// tf.train.ExponentialMovingAverage with num_updates. The average therefore forgets the initial values within a few
/// updates. During the first 9 / (1 - decay) updates, it covers about the last ninth of all updates so far. It starts
/// at the initial values and needs no bias correction, unlike Adam's moments, which start at 0. Its only counter is t,
/// which the optimizer already keeps.
///
/// Each update rounds by at most half a unit in the last place, and earlier rounding errors decay like earlier values.
/// In float, the average is within 6e-8 / (1 - decay) of the exact average, relative to the largest value seen: 6e-4 at
/// 0.9999. One float per number therefore suffices, except for a decay even closer to 1.
template <class T>
class MovingAverage {
 public:
  /// Starts with a copy of the values. The store must be laid out and outlive the average; the decay must be in [0, 1).
  MovingAverage(const ParameterStore<T>& store, double decay);

  /// Updates the average with the values after update `t`, in one pass.
  void update(std::int64_t t);

  /// The average, laid out like the values.
  std::span<T> average() const { return average_; }

  /// Swaps the values and the average, which changes every parameter's version.
  void exchange();

 private:
  const ParameterStore<T>& store_;
  double decay_;
  Arena memory_;
  std::span<T> average_;
};

/// While an AverageInUse exists, the average replaces the values.
template <class T>
class AverageInUse {
 public:
  /// Does nothing if `average` is null.
  explicit AverageInUse(MovingAverage<T>* average) : average_(average) {
    if (average_) average_->exchange();
  }
  ~AverageInUse() {
    if (average_) average_->exchange();
  }
  AverageInUse(const AverageInUse&) = delete;
  AverageInUse& operator=(const AverageInUse&) = delete;

 private:
  MovingAverage<T>* average_;
};

}  // namespace glossa
