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

/// A named buffer of optimizer state, one number per element of the optimizer's range (see Optimizer).
template <class T>
struct StateBuffer {
  std::string_view name;
  std::span<T> values;
};

/// An optimizer's share of the work of several processes: optimizer `index` of `count`. Each process has one optimizer,
/// for its own range of the parameters. The range of a single optimizer contains all parameters.
struct OptimizerShare {
  int index = 0, count = 1;
};

/// Turns gradients into new parameter values, in one pass over the flat buffers of a store. If several processes train
/// one model, each has an optimizer for one range of the buffers, with state only for that range (ZeRO, stage 1:
/// Rajbhandari et al. 2020).
///
/// Several optimizers of one store should have disjoint parameters (segments_of). If a parameter belongs to several
/// optimizers, each one's step moves it, with the same gradient, as in PyTorch.
///
/// Parameters without a gradient since `clear_grads` are skipped, as in PyTorch: value and state stay unchanged, and
/// the norm ignores them. To give them a gradient of zero instead, call ParameterStore::fill_unset_grads after
/// backward. If only some parts of a parameter received a gradient, the other parts have a gradient of zero.
template <class T>
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// One update with learning rate `lr`. Reads every gradient once and multiplies it by `gradient_scale`, so clipping
  /// and averaging over tokens need no separate pass. Throws if no parameter of the store has a gradient, or if a
  /// parameter was frozen or unfrozen since construction.
  virtual void step(double lr, double gradient_scale) = 0;

  /// Euclidean norm of the gradients that the step would read; infinite if its square overflows T. Adam's second moment
  /// would then also overflow and never recover, so skip such a step, as for NaN.
  double grad_norm() { return norm_of(squares()); }

  /// `squares` returns one sum of squared gradients per piece of the buffers, 0 for pieces in other processes' ranges.
  /// The sums are valid until the next call. Added up over all processes, they are the argument of `norm_of`, which
  /// returns the norm with the same bits for any number of processes.
  std::span<double> squares();
  double norm_of(std::span<const double> squares) const;

  /// Start of each process's range of the flat buffers, in elements, followed by the end of the last range.
  std::span<const Index> bounds() const { return bounds_; }

  /// This optimizer's range.
  Index begin() const { return bounds_[static_cast<std::size_t>(share_.index)]; }
  Index end() const { return bounds_[static_cast<std::size_t>(share_.index) + 1]; }

  /// Parameters with at least one element in the segments, in name order.
  std::span<Parameter<T>* const> parameters() const { return trained_; }

  /// State to save in checkpoints, together with `steps`. The buffers are laid out like the range, with zeros for gaps,
  /// frozen parameters and fixed rows. They are 64-byte aligned if the range begins and ends on cache lines.
  std::span<const StateBuffer<T>> state() const { return state_; }

  /// Number of updates so far: steps in which at least one of the optimizer's parameters had a gradient.
  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

 protected:
  /// Throws unless the store is laid out. The store must outlive the optimizer. Named state buffers start at zero.
  Optimizer(const ParameterStore<T>& store, std::span<const Segment> segments,
            std::initializer_list<std::string_view> state_names, OptimizerShare share);

  /// Checks the arguments of a step and counts the step. Raises the versions of all parameters that the step updates,
  /// including those in other processes' ranges.
  void begin_step(double lr, double gradient_scale);

  /// Pieces of this optimizer's range for `step`; each has a gradient. They are small enough to divide evenly among
  /// threads; one thread processes a piece in one loop. Valid until the next call of `begin_step` or `squares`.
  std::span<const Segment> pieces() const { return received_; }

  /// State buffer number `buffer`. If element `i` of the flat buffers is in the range, its state is at `i - begin()`.
  T* state(std::size_t buffer) const { return state_[buffer].values.data(); }

  T* values() const { return store_.values().data(); }
  const T* grads() const { return store_.grads().data(); }

  std::int64_t steps_ = 0;

 private:
  void find_received();

  const ParameterStore<T>& store_;
  std::vector<Segment> segments_;
  OptimizerShare share_;
  std::vector<Segment> pieces_;    // pieces of segments_ in all processes' ranges
  std::span<const Segment> own_;   // elements of pieces_ in this optimizer's range
  std::vector<Segment> received_;  // own_ without the parameters that received no gradient
  std::vector<Index> bounds_;
  std::vector<double> squares_;              // one per element of pieces_
  std::vector<const Parameter<T>*> frozen_;  // parameters frozen at construction
  std::vector<Parameter<T>*> trained_;       // parameters in segments_
  Arena memory_;
  std::vector<StateBuffer<T>> state_;
};

}  // namespace glossa
