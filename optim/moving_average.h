#pragma once

#include <cstdint>
#include <span>

#include "autograd/arena.h"

namespace glossa {

/// The exponential moving average of a flat buffer of parameters, from their initial values:
///
///     average += (1 - d) (value - average),    d = min(decay, (1 + t) / (10 + t)),
///
/// with t counting the updates from 1. The smaller d of early updates is that of TensorFlow's
/// tf.train.ExponentialMovingAverage with num_updates. The average forgets the initial values at once and covers about
/// a ninth of all updates until 9 / (1 - decay) are done. Being a mean of values, it needs no bias correction, unlike
/// Adam's moments, which start at 0. Its only counter is t, which the optimizer already keeps.
///
/// Each update rounds by at most half a unit in the last place, and old errors decay too. In float the average is
/// within 6e-8 / (1 - decay) of the exact one, relative to the largest value seen: 6e-4 at 0.9999. So one word per
/// number suffices, except for a decay nearer to 1.
template <class T>
class MovingAverage {
 public:
  /// Starts as `values`, which must stay at their address. The decay is in [0, 1).
  MovingAverage(std::span<T> values, double decay);

  /// Averages in the values after update `t`, in one pass.
  void update(std::int64_t t);

  /// The average, laid out like the values.
  std::span<T> average() const { return average_; }

  /// Swaps values and average.
  void exchange();

 private:
  std::span<T> values_;
  double decay_;
  Arena memory_;
  std::span<T> average_;
};

/// While it lives, the average, if any, takes the place of the values.
template <class T>
class AverageInUse {
 public:
  /// Null: does nothing.
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
