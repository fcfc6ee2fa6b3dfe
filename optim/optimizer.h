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

/// A named part of an optimizer's memory, one number for every number of the store's flat buffers.
template <class T>
struct StateBuffer {
  std::string_view name;
  std::span<T> values;
};

/// Turns gradients into new parameter values, in one pass over the flat buffers of a store.
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

  /// Euclidean norm of the gradients that `step` will read: frozen parameters do not count. Infinite where its square
  /// is beyond T, as the second moment of Adam would be, which never came back: such a step is to be refused like NaN.
  double grad_norm() const;

  /// What a checkpoint keeps, with `steps`: buffers laid out as the store's, 64-byte aligned, zero in gaps and for
  /// frozen parameters.
  std::span<const StateBuffer<T>> state() const { return state_; }

  /// Updates done so far.
  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

 protected:
  /// For a store that is laid out (else it throws); it must outlive the optimizer. State buffers of the given names
  /// start at zero.
  Optimizer(const ParameterStore<T>& store, std::span<const Segment> segments,
            std::initializer_list<std::string_view> state_names);

  /// Checks and counts a step.
  void begin_step(double lr, double gradient_scale);

  /// What the step works on, cut small so that threads share it evenly and every piece is one loop.
  std::span<const Segment> pieces() const { return pieces_; }

  T* values() const { return store_.values().data(); }
  const T* grads() const { return store_.grads().data(); }

  std::int64_t steps_ = 0;

 private:
  const ParameterStore<T>& store_;
  std::vector<Segment> segments_;
  std::vector<Segment> pieces_;              // of these
  std::vector<const Parameter<T>*> frozen_;  // when the optimizer was made
  Arena memory_;
  std::vector<StateBuffer<T>> state_;
};

}  // namespace glossa
