#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "autograd/arena.h"
#include "autograd/parameter.h"
#include "optim/parameter_groups.h"

namespace glossa {

/// A named part of an optimizer's memory, one number for every number of its own stretch of the store's flat buffers.
template <class T>
struct StateBuffer {
  std::string_view name;
  std::span<T> values;
};

/// Which of `count` optimizers that share the parameters of a model this is; alone it has all.
struct OptimizerShare {
  int index = 0, count = 1;
};

/// Turns gradients into new parameter values, in one pass over the flat buffers of a store. Where several processes
/// train one model each has an optimizer for a stretch of the buffers, and state for that stretch alone (ZeRO, stage 1:
/// Rajbhandari et al. 2020).
template <class T>
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// One update with learning rate `lr`. Every gradient is read once and multiplied by `gradient_scale`: clipping and
  /// averaging over tokens need no pass of their own. Throws for a gradient that is unset, which would be an old one
  /// (`ParameterStore::fill_unset_grads`), and for a parameter that was frozen or unfrozen after the optimizer was
  /// made.
  virtual void step(double lr, double gradient_scale) = 0;

  /// Euclidean norm of the gradients that are trained: frozen parameters do not count. Infinite where its square is
  /// beyond T, as the second moment of Adam would be, which never came back: such a step is to be refused like NaN.
  double grad_norm() { return norm_of(squares()); }

  /// Its square in pieces, of which those of other shares are 0, until the next call; and the norm from the pieces of
  /// all: the same bits whatever the number of shares.
  std::span<double> squares();
  double norm_of(std::span<const double> squares) const;

  /// Where the stretches of all shares begin in the flat buffers, in elements, and where the last one ends.
  std::span<const Index> bounds() const { return bounds_; }

  /// The stretch that is this one's.
  Index begin() const { return bounds_[static_cast<std::size_t>(share_.index)]; }
  Index end() const { return bounds_[static_cast<std::size_t>(share_.index) + 1]; }

  /// What a checkpoint keeps, with `steps`: buffers laid out as the stretch is, 64-byte aligned, zero in gaps, for
  /// frozen parameters and in fixed rows.
  std::span<const StateBuffer<T>> state() const { return state_; }

  /// Updates done so far.
  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

 protected:
  /// For a store that is laid out (else it throws); it must outlive the optimizer. State buffers of the given names
  /// start at zero.
  Optimizer(const ParameterStore<T>& store, std::span<const Segment> segments,
            std::initializer_list<std::string_view> state_names, OptimizerShare share);

  /// Checks and counts a step.
  void begin_step(double lr, double gradient_scale);

  /// What the step works on, cut small so that threads share it evenly and every piece is one loop.
  std::span<const Segment> pieces() const { return own_; }

  /// The state of number `i` of the flat buffers, which is the stretch's, is at `i - begin()`.
  T* state(std::size_t buffer) const { return state_[buffer].values.data(); }

  T* values() const { return store_.values().data(); }
  const T* grads() const { return store_.grads().data(); }

  std::int64_t steps_ = 0;

 private:
  const ParameterStore<T>& store_;
  std::vector<Segment> segments_;
  OptimizerShare share_;
  std::vector<Segment> pieces_;  // of these, for all shares
  std::span<const Segment> own_;
  std::vector<Index> bounds_;
  std::vector<double> squares_;              // of pieces_
  std::vector<const Parameter<T>*> frozen_;  // when the optimizer was made
  Arena memory_;
  std::vector<StateBuffer<T>> state_;
};

}  // namespace glossa
