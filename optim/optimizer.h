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

/// A named buffer of optimizer state, one number per element of the optimizer's range of the store's flat buffers.
template <class T>
struct StateBuffer {
  std::string_view name;
  std::span<T> values;
};

/// Index among the `count` optimizers sharing a model's parameters; a single one has all.
struct OptimizerShare {
  int index = 0, count = 1;
};

/// Turns gradients into new parameter values, in one pass over the flat buffers of a store. If several processes train
/// one model, each has an optimizer for one range of the buffers, and state for that range only (ZeRO, stage 1:
/// Rajbhandari et al. 2020).
template <class T>
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// One update with learning rate `lr`. Reads every gradient once and multiplies it by `gradient_scale`: clipping and
  /// averaging over tokens need no separate pass. Throws for an unset gradient, which would be stale
  /// (`ParameterStore::fill_unset_grads`), and for a parameter frozen or unfrozen since the optimizer was made.
  virtual void step(double lr, double gradient_scale) = 0;

  /// Euclidean norm of trained gradients, without frozen parameters. Infinite if its square overflows T, as Adam's
  /// second moment would, which would never recover: refuse such a step like NaN.
  double grad_norm() { return norm_of(squares()); }

  /// The squared norm in pieces, valid until the next call, with 0 for other shares; and the norm from all pieces, with
  /// the same bits for any number of shares.
  std::span<double> squares();
  double norm_of(std::span<const double> squares) const;

  /// Beginnings of all shares' ranges of the flat buffers, in elements, and the end of the last.
  std::span<const Index> bounds() const { return bounds_; }

  /// This optimizer's range.
  Index begin() const { return bounds_[static_cast<std::size_t>(share_.index)]; }
  Index end() const { return bounds_[static_cast<std::size_t>(share_.index) + 1]; }

  /// State for checkpoints, with `steps`: buffers laid out like the range, 64-byte aligned, zero in gaps, for frozen
  /// parameters and in fixed rows.
  std::span<const StateBuffer<T>> state() const { return state_; }

  /// Updates done so far.
  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

 protected:
  /// Throws unless the store is laid out; it must outlive the optimizer. Named state buffers start at zero.
  Optimizer(const ParameterStore<T>& store, std::span<const Segment> segments,
            std::initializer_list<std::string_view> state_names, OptimizerShare share);

  /// Checks and counts a step.
  void begin_step(double lr, double gradient_scale);

  /// Pieces for the step, small so that threads share them evenly; each is one loop.
  std::span<const Segment> pieces() const { return own_; }

  /// Element `i` of the flat buffers, if in the range, has its state at `i - begin()`.
  T* state(std::size_t buffer) const { return state_[buffer].values.data(); }

  T* values() const { return store_.values().data(); }
  const T* grads() const { return store_.grads().data(); }

  std::int64_t steps_ = 0;

 private:
  const ParameterStore<T>& store_;
  std::vector<Segment> segments_;
  OptimizerShare share_;
  std::vector<Segment> pieces_;  // of segments_, all shares
  std::span<const Segment> own_;
  std::vector<Index> bounds_;
  std::vector<double> squares_;              // of pieces_
  std::vector<const Parameter<T>*> frozen_;  // at construction
  Arena memory_;
  std::vector<StateBuffer<T>> state_;
};

}  // namespace glossa
