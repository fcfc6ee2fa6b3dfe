#pragma once

#include <cstdint>
#include <span>

#include "autograd/arena.h"

namespace glossa {

/// The exponential moving average of a flat buffer of parameters, from their first values on:
///
///     average += (1 - d) (value - average),    d = min(decay, (1 + t) / (10 + t)),
///
/// with t counting the updates from 1. The smaller d of the first updates is that of TensorFlow's
/// tf.train.ExponentialMovingAverage with num_updates: the average forgets the first values at once and is that of
/// about a ninth of all updates until 9 / (1 - decay) are done. Being a mean of values, it needs no correction as
/// Adam's moments, which start at 0, do; and t is the only thing that it counts, which the optimizer does already.
///
/// Each update rounds by half a unit in the last place at most, and forgets as it averages: in float the average is
/// within 6e-8 / (1 - decay) of the exact one, relative to the largest value that it has seen, 6e-4 at 0.9999. So it
/// needs no second word a number, but a decay nearer to 1 would.
template <class T>
class MovingAverage {
 public:
  /// Of `values`, which must stay where they are and are the average at first. The decay is in [0, 1).
  MovingAverage(std::span<T> values, double decay);

  /// Takes in what the values have become with update `t`, in one pass.
  void update(std::int64_t t);

  /// The average, laid out as the values.
  std::span<T> average() const { return average_; }

  /// Values and average change places.
  void exchange();

 private:
  std::span<T> values_;
  double decay_;
  Arena memory_;
  std::span<T> average_;
};

/// Puts the average, where there is one, into the place of the values while it lives.
template <class T>
class AverageInUse {
 public:
  /// Of null: does nothing.
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
